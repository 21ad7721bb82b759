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
