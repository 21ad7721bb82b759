import CaptureBase

/// FLAC file (RFC 9639): libFLAC's header and frames as they come.
///
/// *session-bound*
final class FLACStream: ClipStream {
    /// `fLaC` and the metadata blocks; as CodecPrivate of Matroska (RFC 9639, 10.2) they are the
    /// same bytes.
    private(set) var head: [UInt8]
    private let encoder: FLACEncoder

    init(_ track: ClipTrack, labels: ClipLabels, settings: EncoderSettings) throws(CaptureError) {
        guard let format = track.audio else { throw CaptureError(.usage, "FLAC can contain only audio.") }
        encoder = FLACEncoder(format: format, level: settings.flacLevel, labels: labels.comments(of: track))
        try encoder.begin()
        head = encoder.description.privateBytes
    }

    var counts: EncoderCounts { encoder.counts }
    var maxBufferedBytes: Int { encoder.format.maxBufferedBytes }

    func encode(_ data: RawSpan, at nanoseconds: Int64, into packets: inout PacketBuffer) throws(CaptureError) {
        try encoder.encode(data, at: nanoseconds, into: &packets)
    }

    func finish(into packets: inout PacketBuffer) throws(CaptureError) { try encoder.finish(into: &packets) }

    /// Stores the final STREAMINFO, or corrects it for a file that lacks frames.
    ///
    /// The MD5 is of the whole stream, so a cut file can't have it; zeros mean none (RFC 9639, 8.2).
    func setTotals(_ totals: StreamTotals) {
        head = encoder.description.privateBytes
        if totals.isComplete { return }
        // The sample count is the low 36 bits of the eight bytes ahead of the MD5.
        let samples = FLACStreamInfo.totalSamples(totals.frames)
        head[21] = head[21] & 0xF0 | UInt8(truncatingIfNeeded: samples >> 32 & 0x0F)
        for byte in 0..<4 { head[22 + byte] = UInt8(truncatingIfNeeded: samples >> (24 - 8 * byte)) }
        head.replaceSubrange(26..<42, with: repeatElement(0, count: 16))
    }
}

/// STREAMINFO (RFC 9639, 8.2).
struct FLACStreamInfo: Hashable {
    /// Samples per channel of the largest block.
    var largestBlock = 0
    var sampleRate = 0
    var channels = 0
    var bitsPerSample = 0

    /// An empty one, filled in from a frame header.
    init() {}

    /// Parses STREAMINFO.
    /// - Parameter bytes: its 34 bytes.
    /// - Returns: `nil` for impossible values.
    init?(_ bytes: ArraySlice<UInt8>) {
        guard bytes.count == 34 else { return nil }
        let at = bytes.startIndex
        largestBlock = Int(bytes[at + 2]) << 8 | Int(bytes[at + 3])
        sampleRate = Int(bytes[at + 10]) << 12 | Int(bytes[at + 11]) << 4 | Int(bytes[at + 12]) >> 4
        channels = Int(bytes[at + 12] >> 1 & 7) + 1
        bitsPerSample = (Int(bytes[at + 12] & 1) << 4 | Int(bytes[at + 13] >> 4)) + 1
        guard sampleRate > 0, largestBlock >= 16, bitsPerSample >= 4 else { return nil }
    }

    /// Its 34 bytes with the MD5 of an unknown stream, all zeros.
    func bytes(samples: Int64, smallestBlock: Int, largestBlock: Int, frameSizes: ClosedRange<Int>) -> [UInt8] {
        var bytes = Self.big(smallestBlock, 2) + Self.big(largestBlock, 2)
        bytes += Self.big(frameSizes.lowerBound, 3) + Self.big(frameSizes.upperBound, 3)
        let format = sampleRate << 44 | (channels - 1) << 41 | (bitsPerSample - 1) << 36
        bytes += Self.big(format | Int(Self.totalSamples(samples)), 8)
        return bytes + [UInt8](repeating: 0, count: 16)
    }

    /// Sample count as it is stored in 36 bits: 0, "unknown", if it does not fit.
    static func totalSamples(_ samples: Int64) -> Int64 { samples >> 36 == 0 ? samples : 0 }

    /// FLAC is big-endian.
    private static func big(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - $0))) }
    }
}

/// Header of a FLAC frame in a stream of fixed blocks (RFC 9639, 9.1).
///
/// Our encoder writes fixed blocks alone, so the coded number counts frames, not samples.
struct FLACFrameHeader: Hashable {
    /// Frame number, from 0.
    let number: Int64
    /// Samples per channel in the frame.
    let blockFrames: Int
    let channels: Int
    /// Hz; 0 if it is in STREAMINFO.
    let sampleRate: Int
    /// Bits; 0 if they are in STREAMINFO.
    let bitsPerSample: Int

    /// Longest header in bytes.
    static let most = 16

    /// Parses a header and checks its CRC-8.
    /// - Parameters:
    ///   - bytes: any, with a header's length after `start` if the file is long enough.
    ///   - start: offset of the sync code.
    ///   - checksum: tables of the CRCs.
    /// - Returns: `nil` for anything but a valid header.
    init?(_ bytes: [UInt8], at start: Int, _ checksum: FLACChecksum) {
        // Sync code and reserved bit, then the blocking strategy: 0, fixed blocks.
        guard start + 6 <= bytes.count, bytes[start] == 0xFF, bytes[start + 1] == 0xF8, bytes[start + 3] & 1 == 0 else {
            return nil
        }
        guard let (number, after) = Self.number(bytes, start + 4) else { return nil }
        // Values that the four bits can't hold follow the coded number (9.1.6, 9.1.7).
        let (blockCode, rateCode) = (Int(bytes[start + 2] >> 4), Int(bytes[start + 2] & 15))
        let extra = (blockCode == 6 ? 1 : blockCode == 7 ? 2 : 0)
        let rateBytes = rateCode == 12 ? 1 : rateCode == 13 || rateCode == 14 ? 2 : 0
        let end = after + extra + rateBytes
        guard end < bytes.count, blockCode > 0, rateCode < 15 else { return nil }
        guard checksum.head(bytes[start..<end]) == bytes[end] else { return nil }
        // 8 to 10 are stereo decorrelations: two channels (9.1.3).
        let assignment = Int(bytes[start + 3] >> 4)
        guard assignment <= 10, let depth = Self.depths[Int(bytes[start + 3] >> 1 & 7)] else { return nil }
        self.number = number
        channels = assignment < 8 ? assignment + 1 : 2
        bitsPerSample = depth
        blockFrames = Self.blockFrames(blockCode, bytes, after)
        sampleRate = Self.rate(rateCode, bytes, after + extra)
    }

    /// Bits per sample by code (9.1.4); 3 is reserved.
    private static let depths: [Int?] = [0, 8, 12, nil, 16, 20, 24, 32]
    /// Hz by code (9.1.2).
    private static let rates = [
        0, 88_200, 176_400, 192_000, 8000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000,
    ]

    /// Block size by code (9.1.1).
    private static func blockFrames(_ code: Int, _ bytes: [UInt8], _ at: Int) -> Int {
        switch code {
        case 1: 192
        case 2...5: 144 << code
        case 6: Int(bytes[at]) + 1
        case 7: (Int(bytes[at]) << 8 | Int(bytes[at + 1])) + 1
        default: 1 << code
        }
    }

    /// Sample rate by code, or from the bytes after the block size.
    private static func rate(_ code: Int, _ bytes: [UInt8], _ at: Int) -> Int {
        switch code {
        case 12: Int(bytes[at]) * 1000
        case 13: Int(bytes[at]) << 8 | Int(bytes[at + 1])
        case 14: (Int(bytes[at]) << 8 | Int(bytes[at + 1])) * 10
        default: rates[code]
        }
    }

    /// Parses the coded number (9.1.5): as UTF-8 would code it, up to 36 bits.
    /// - Returns: the number and the offset after it.
    private static func number(_ bytes: [UInt8], _ at: Int) -> (Int64, Int)? {
        let first = bytes[at]
        if first < 0x80 { return (Int64(first), at + 1) }
        let count = (~first).leadingZeroBitCount
        guard (2...7).contains(count), at + count <= bytes.count else { return nil }
        var value = count == 7 ? 0 : Int64(first & (0x7F >> UInt8(count)))
        for index in 1..<count {
            guard bytes[at + index] & 0xC0 == 0x80 else { return nil }
            value = value << 6 | Int64(bytes[at + index] & 0x3F)
        }
        return (value, at + count)
    }

    /// Codes a frame number.
    static func coded(_ number: Int64) -> [UInt8] {
        if number < 0x80 { return [UInt8(number)] }
        let count = (2...7).first { number < Int64(1) << (5 * Int64($0) + 1) } ?? 7
        let lead = UInt8(truncatingIfNeeded: ~(0xFF >> count))
        let first = lead | UInt8(truncatingIfNeeded: count == 7 ? 0 : number >> (6 * Int64(count - 1)))
        return [first]
            + (1..<count).map { 0x80 | UInt8(truncatingIfNeeded: number >> (6 * Int64(count - 1 - $0))) & 0x3F }
    }

    /// Makes a frame of silence: constant subframes (9.2.3) of 0, all of whose bits are zeros.
    /// - Parameters:
    ///   - number: frame number.
    ///   - blockFrames: samples per channel, up to 65,536.
    ///   - info: channels and depth of the stream.
    ///   - checksum: tables of the CRCs.
    static func silence(
        _ number: Int64, blockFrames: Int, _ info: FLACStreamInfo, _ checksum: FLACChecksum
    ) -> [UInt8] {
        var bytes: [UInt8] = [0xFF, 0xF8, 0x70, UInt8(info.channels - 1) << 4] + coded(number)
        bytes += [UInt8(truncatingIfNeeded: (blockFrames - 1) >> 8), UInt8(truncatingIfNeeded: blockFrames - 1)]
        bytes.append(checksum.head(bytes[...]))
        bytes += [UInt8](repeating: 0, count: (info.channels * (8 + info.bitsPerSample) + 7) / 8)
        let check = checksum.frame(bytes[...])
        return bytes + [UInt8(check >> 8), UInt8(truncatingIfNeeded: check)]
    }
}

/// Checksums of FLAC frames: CRC-8 of a header (RFC 9639, 9.1.8), CRC-16 of a frame (9.3).
///
/// By tables, since recovery tries a header at every byte that may begin one.
struct FLACChecksum {
    /// Polynomial x^8 + x^2 + x + 1.
    private let heads: [UInt8]
    /// Polynomial x^16 + x^15 + x^2 + 1.
    private let frames: [UInt16]

    init() {
        heads = (0..<256).map { byte in
            (0..<8).reduce(UInt8(byte)) { value, _ in value & 0x80 == 0 ? value << 1 : value << 1 ^ 0x07 }
        }
        frames = (0..<256).map { byte in
            (0..<8).reduce(UInt16(byte) << 8) { value, _ in value & 0x8000 == 0 ? value << 1 : value << 1 ^ 0x8005 }
        }
    }

    /// CRC-8 of a header without its last byte.
    func head(_ bytes: ArraySlice<UInt8>) -> UInt8 {
        bytes.reduce(0) { heads[Int($0 ^ $1)] }
    }

    /// CRC-16 continued from `start`; 0 for a whole frame with its footer.
    func frame(_ bytes: ArraySlice<UInt8>, after start: UInt16 = 0) -> UInt16 {
        bytes.reduce(start) { $0 << 8 ^ frames[Int(UInt8(truncatingIfNeeded: $0 >> 8) ^ $1)] }
    }
}
