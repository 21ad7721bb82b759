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
