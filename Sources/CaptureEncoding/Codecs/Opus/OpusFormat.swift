import CaptureBase

/// Identification header of Opus (RFC 7845, 5.1), which is also Matroska's CodecPrivate.
struct OpusHead: Hashable {
    /// 1 to 255.
    var channels = 1
    /// Decoder output ahead of the recording's first sample, in samples at 48 kHz.
    var preSkip = 0
    /// Rate of the recording in Hz, for information; decoders ignore it.
    var inputRate = 48_000
    /// 0 for mono and stereo, 255 for channels without loudspeakers (RFC 7845, 5.1.1).
    var mappingFamily = 0
    /// Opus streams in each packet, and how many of them are stereo.
    var streams = 1
    var coupled = 0
    /// Decoded channel of each output channel; absent in family 0.
    var mapping: [UInt8] = []

    /// Unit of all sample counts of Opus in Ogg: 48 kHz, whatever the recording's rate (RFC 7845,
    /// 4).
    static let rate = 48_000
    private static let magic = Array("OpusHead".utf8)

    var bytes: [UInt8] {
        var bytes =
            Self.magic + [1, UInt8(channels)] + LittleEndian.bytes(preSkip, 2) + LittleEndian.bytes(inputRate, 4)
        // Output gain of 0 dB, in two bytes.
        bytes += [0, 0, UInt8(mappingFamily)]
        if mappingFamily != 0 { bytes += [UInt8(streams), UInt8(coupled)] + mapping }
        return bytes
    }

    init() {}

    /// Parses a header.
    /// - Returns: `nil` for anything else, or a version of another major number, which readers must
    ///   refuse.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= 19, bytes.starts(with: Self.magic), bytes[8] & 0xF0 == 0, bytes[9] > 0 else { return nil }
        channels = Int(bytes[9])
        preSkip = Int(LittleEndian.number(bytes, at: 10, 2))
        inputRate = Int(LittleEndian.number(bytes, at: 12, 4))
        mappingFamily = Int(bytes[18])
        if mappingFamily == 0 {
            guard channels <= 2 else { return nil }
            coupled = channels - 1
            return
        }
        guard bytes.count >= 21 + channels, bytes[19] > 0, bytes[20] <= bytes[19] else { return nil }
        (streams, coupled) = (Int(bytes[19]), Int(bytes[20]))
        mapping = Array(bytes[21..<21 + channels])
    }
}

/// Durations by the first bytes of an Opus packet: TOC (RFC 6716, 3.1) and frame count (3.2).
enum OpusPacket {
    /// Duration in samples at 48 kHz.
    /// - Returns: `nil` for no packet, or one of more than 120 ms (RFC 6716, 3.4, R5).
    static func samples(_ packet: some RandomAccessCollection<UInt8>) -> Int64? {
        guard let first = packet.first else { return nil }
        return samples(first, packet.dropFirst().first)
    }

    /// Duration by the first bytes of a packet, of which the second may be missing.
    static func samples(_ first: UInt8, _ second: UInt8?) -> Int64? {
        let frame = frameSamples(first >> 3)
        switch first & 3 {
        case 0: return frame
        case 1, 2: return 2 * frame
        default:
            guard let second else { return nil }
            let count = Int64(second & 0x3F)
            return count > 0 && count * frame <= 5760 ? count * frame : nil
        }
    }

    /// Duration of a frame by configuration (RFC 6716, table 2).
    private static func frameSamples(_ configuration: UInt8) -> Int64 {
        switch configuration {
        case 0..<12: configuration % 4 == 3 ? 2880 : 480 << Int64(configuration % 4)
        case 12..<16: configuration % 2 == 0 ? 480 : 960
        default: 120 << Int64(configuration % 4)
        }
    }

    /// Packet of one empty frame per stream, which a decoder conceals as lost.
    /// - Parameters:
    ///   - packet: any whose frames are as long.
    ///   - streams: Opus streams in a packet.
    static func missing(like packet: ArraySlice<UInt8>, streams: Int) -> [UInt8] {
        let first = (packet.first ?? 0xF8) & 0xFC
        // All streams but the last are self-delimited, so they have their frame's length, 0 (RFC 6716, appendix B).
        return (1..<max(streams, 1)).flatMap { _ in [first, 0] } + [first]
    }
}
