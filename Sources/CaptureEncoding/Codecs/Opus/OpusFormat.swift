/// The identification header of Opus (RFC 7845, 5.1), which is Matroska's CodecPrivate too.
struct OpusHead: Hashable {
    var channels = 1
    /// Samples at 48 kHz that a decoder gives before the first one of the recording.
    var preSkip = 0
    /// Of the recording; decoders don't need it.
    var inputRate = 48_000
    /// 0 for mono and stereo, 255 for channels that stand for no loudspeaker.
    var mappingFamily = 0
    var streams = 1
    var coupled = 0
    var mapping: [UInt8] = []

    /// Opus counts time in samples of this rate, whatever the recording's.
    static let rate = 48_000
    private static let magic = Array("OpusHead".utf8)

    var bytes: [UInt8] {
        var bytes = Self.magic + [1, UInt8(channels)] + Self.little(preSkip, 2) + Self.little(inputRate, 4)
        bytes += [0, 0, UInt8(mappingFamily)]
        if mappingFamily != 0 { bytes += [UInt8(streams), UInt8(coupled)] + mapping }
        return bytes
    }

    init() {}

    /// - Returns: `nil` for what is no such header, or one of a version that is not known.
    init?(_ bytes: [UInt8]) {
        guard bytes.count >= 19, bytes.starts(with: Self.magic), bytes[8] & 0xF0 == 0, bytes[9] > 0 else { return nil }
        channels = Int(bytes[9])
        preSkip = Int(bytes[10]) | Int(bytes[11]) << 8
        inputRate = (0..<4).reduce(0) { $0 | Int(bytes[12 + $1]) << (8 * $1) }
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

    private static func little(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}

/// What the first byte of an Opus packet says (RFC 6716, 3.1).
enum OpusPacket {
    /// Samples at 48 kHz.
    /// - Returns: `nil` for what is no packet.
    static func samples(_ packet: ArraySlice<UInt8>) -> Int64? {
        guard let first = packet.first else { return nil }
        let frame = frameSamples(first >> 3)
        switch first & 3 {
        case 0: return frame
        case 1, 2: return 2 * frame
        default:
            guard packet.count > 1 else { return nil }
            let count = Int64(packet[packet.startIndex + 1] & 0x3F)
            return count > 0 && count * frame <= 5760 ? count * frame : nil
        }
    }

    private static func frameSamples(_ configuration: UInt8) -> Int64 {
        switch configuration {
        case 0..<12: [480, 960, 1920, 2880][Int(configuration) % 4]
        case 12..<16: configuration % 2 == 0 ? 480 : 960
        default: [120, 240, 480, 960][Int(configuration) % 4]
        }
    }

    /// One frame that was not sent, for every stream inside: a decoder conceals it.
    /// - Parameter like: a packet whose frames are as long.
    static func missing(like packet: ArraySlice<UInt8>, streams: Int) -> [UInt8] {
        let first = (packet.first ?? 0xF8) & 0xFC
        // All but the last say their frame's length, which is 0 (RFC 6716, appendix B).
        return (1..<max(streams, 1)).flatMap { _ in [first, 0] } + [first]
    }
}
