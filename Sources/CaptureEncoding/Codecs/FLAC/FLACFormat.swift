import CaptureGate

/// A FLAC file (RFC 9639): libFLAC's packets one after the other.
///
/// *session-bound*
final class FLACStream: ClipStream {
    private(set) var head: [UInt8]
    private let encoder: FLACEncoder

    init(_ track: ClipTrack, labels: ClipLabels, settings: EncoderSettings) throws(CaptureError) {
        guard let format = track.audio else { throw CaptureError(.usage, "FLAC holds sound alone.") }
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

    /// STREAMINFO follows fLaC and a block's head. A file that lacks blocks can't have the whole stream's digest, and
    /// a digest of zeros stands for none (RFC 9639, 8.2).
    func setTotals(_ totals: StreamTotals) {
        head = encoder.description.privateBytes
        if totals.isComplete { return }
        // The count of samples is the low 36 bits of the eight bytes before the digest.
        let samples = FLACStreamInfo.totalSamples(totals.frames)
        head[21] = head[21] & 0xF0 | UInt8(truncatingIfNeeded: samples >> 32 & 0x0F)
        for byte in 0..<4 { head[22 + byte] = UInt8(truncatingIfNeeded: samples >> (24 - 8 * byte)) }
        head.replaceSubrange(26..<42, with: repeatElement(0, count: 16))
    }
}

/// STREAMINFO (RFC 9639, 8.2).
struct FLACStreamInfo: Hashable {
    var largestBlock = 0
    var sampleRate = 0
    var channels = 0
    var bitsPerSample = 0

    init() {}

    /// - Parameter bytes: its 34 bytes.
    /// - Returns: `nil` for values that can't be.
    init?(_ bytes: ArraySlice<UInt8>) {
        guard bytes.count == 34 else { return nil }
        let at = bytes.startIndex
        largestBlock = Int(bytes[at + 2]) << 8 | Int(bytes[at + 3])
        sampleRate = Int(bytes[at + 10]) << 12 | Int(bytes[at + 11]) << 4 | Int(bytes[at + 12]) >> 4
        channels = Int(bytes[at + 12] >> 1 & 7) + 1
        bitsPerSample = (Int(bytes[at + 12] & 1) << 4 | Int(bytes[at + 13] >> 4)) + 1
        guard sampleRate > 0, largestBlock >= 16, bitsPerSample >= 4 else { return nil }
    }

    /// Its 34 bytes, without a digest of the samples.
    func bytes(samples: Int64, smallestBlock: Int, largestBlock: Int, frameSizes: ClosedRange<Int>) -> [UInt8] {
        var bytes = Self.big(smallestBlock, 2) + Self.big(largestBlock, 2)
        bytes += Self.big(frameSizes.lowerBound, 3) + Self.big(frameSizes.upperBound, 3)
        let format = sampleRate << 44 | (channels - 1) << 41 | (bitsPerSample - 1) << 36
        bytes += Self.big(format | Int(Self.totalSamples(samples)), 8)
        return bytes + [UInt8](repeating: 0, count: 16)
    }

    /// What it says of so many samples: what is too many for its 36 bits is not known, 0.
    static func totalSamples(_ samples: Int64) -> Int64 { samples >> 36 == 0 ? samples : 0 }

    private static func big(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * (count - 1 - $0))) }
    }
}

/// The head of a FLAC frame of a stream with fixed blocks (RFC 9639, 9.1).
struct FLACFrameHeader: Hashable {
    let number: Int64
    let blockFrames: Int
    let channels: Int
    /// 0 where STREAMINFO tells.
    let sampleRate: Int
    /// 0 where STREAMINFO tells.
    let bitsPerSample: Int

    /// The longest head, bytes.
    static let most = 16

    /// - Returns: `nil` for what is no such head, or a damaged one.
    init?(_ bytes: [UInt8], at start: Int, _ checksum: FLACChecksum) {
        guard start + 6 <= bytes.count, bytes[start] == 0xFF, bytes[start + 1] == 0xF8, bytes[start + 3] & 1 == 0 else {
            return nil
        }
        guard let (number, after) = Self.number(bytes, start + 4) else { return nil }
        let (blockCode, rateCode) = (Int(bytes[start + 2] >> 4), Int(bytes[start + 2] & 15))
        let extra = (blockCode == 6 ? 1 : blockCode == 7 ? 2 : 0)
        let rateBytes = rateCode == 12 ? 1 : rateCode == 13 || rateCode == 14 ? 2 : 0
        let end = after + extra + rateBytes
        guard end < bytes.count, blockCode > 0, rateCode < 15 else { return nil }
        guard checksum.head(bytes[start..<end]) == bytes[end] else { return nil }
        let assignment = Int(bytes[start + 3] >> 4)
        guard assignment <= 10, let depth = Self.depths[Int(bytes[start + 3] >> 1 & 7)] else { return nil }
        self.number = number
        channels = assignment < 8 ? assignment + 1 : 2
        bitsPerSample = depth
        blockFrames = Self.blockFrames(blockCode, bytes, after)
        sampleRate = Self.rate(rateCode, bytes, after + extra)
    }

    private static let depths: [Int?] = [0, 8, 12, nil, 16, 20, 24, 32]
    private static let rates = [
        0, 88_200, 176_400, 192_000, 8000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000,
    ]

    private static func blockFrames(_ code: Int, _ bytes: [UInt8], _ at: Int) -> Int {
        switch code {
        case 1: 192
        case 2...5: 144 << code
        case 6: Int(bytes[at]) + 1
        case 7: (Int(bytes[at]) << 8 | Int(bytes[at + 1])) + 1
        default: 1 << code
        }
    }

    private static func rate(_ code: Int, _ bytes: [UInt8], _ at: Int) -> Int {
        switch code {
        case 12: Int(bytes[at]) * 1000
        case 13: Int(bytes[at]) << 8 | Int(bytes[at + 1])
        case 14: (Int(bytes[at]) << 8 | Int(bytes[at + 1])) * 10
        default: rates[code]
        }
    }

    /// A number coded as UTF-8 would code it, up to 36 bits.
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

    static func coded(_ number: Int64) -> [UInt8] {
        if number < 0x80 { return [UInt8(number)] }
        let count = (2...7).first { number < Int64(1) << (5 * Int64($0) + 1) } ?? 7
        let lead = UInt8(truncatingIfNeeded: ~(0xFF >> count))
        let first = lead | UInt8(truncatingIfNeeded: count == 7 ? 0 : number >> (6 * Int64(count - 1)))
        return [first]
            + (1..<count).map { 0x80 | UInt8(truncatingIfNeeded: number >> (6 * Int64(count - 1 - $0))) & 0x3F }
    }

    /// A frame of silence: constant subframes of 0, whose bits are all zeros.
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

/// The two cyclic checks of FLAC's frames (RFC 9639, 9.1.8 and 9.3).
struct FLACChecksum {
    private let heads: [UInt8]
    private let frames: [UInt16]

    init() {
        heads = (0..<256).map { byte in
            (0..<8).reduce(UInt8(byte)) { value, _ in value & 0x80 == 0 ? value << 1 : value << 1 ^ 0x07 }
        }
        frames = (0..<256).map { byte in
            (0..<8).reduce(UInt16(byte) << 8) { value, _ in value & 0x8000 == 0 ? value << 1 : value << 1 ^ 0x8005 }
        }
    }

    func head(_ bytes: ArraySlice<UInt8>) -> UInt8 {
        bytes.reduce(0) { heads[Int($0 ^ $1)] }
    }

    func frame(_ bytes: ArraySlice<UInt8>, after start: UInt16 = 0) -> UInt16 {
        bytes.reduce(start) { $0 << 8 ^ frames[Int(UInt8(truncatingIfNeeded: $0 >> 8) ^ $1)] }
    }
}
