/// CRC-32 of IEEE 802.3 (3.2.9): reflected, with the polynomial 0x04C11DB7, as of zlib and PNG.
///
/// *thread-safe*
package struct FrameChecksum: Sendable {
    /// Sixteen tables of 256 words: table n has the remainder of a byte that n zero bytes follow. With them sixteen bytes take
    /// one step, which a frame of 1080p needs: byte by byte it would take a third of a core at 30 frames a second.
    private static let tables: [UInt32] = {
        var words = (0..<256).map { byte in
            (0..<8).reduce(UInt32(byte)) { word, _ in word >> 1 ^ (word & 1 == 0 ? 0 : 0xEDB8_8320) }
        }
        for index in 256..<4096 {
            let word = words[index - 256]
            words.append(word >> 8 ^ words[Int(word & 0xFF)])
        }
        return words
    }()

    /// Computes the checksum of bytes.
    ///
    /// Each step depends on the previous one. So long data is processed as three parts in turn, whose steps overlap, and their
    /// remainders are combined: that halves the time.
    package static func crc32(_ bytes: Span<UInt8>) -> UInt32 {
        // Pointers, as the checks of sixteen indices take more time than the sums.
        tables.withUnsafeBufferPointer { tables in
            bytes.withUnsafeBytes { bytes in
                let part = bytes.count < 1 << 12 ? 0 : bytes.count / 3 & ~15
                var (word, second, third, index) = (UInt32.max, UInt32(0), UInt32(0), 0)
                while index < part {
                    word = step(word, bytes, index, tables)
                    second = step(second, bytes, part &+ index, tables)
                    third = step(third, bytes, 2 &* part &+ index, tables)
                    index &+= 16
                }
                if part > 0 {
                    let zeros = power(8 * part)
                    word = product(product(word, zeros) ^ second, zeros) ^ third
                    index = 3 * part
                }
                while index + 16 <= bytes.count {
                    word = step(word, bytes, index, tables)
                    index += 16
                }
                while index < bytes.count {
                    word = word >> 8 ^ tables[Int(UInt8(truncatingIfNeeded: word) ^ bytes[index])]
                    index += 1
                }
                return ~word
            }
        }
    }

    /// Remainder after 16 more bytes.
    @inline(__always)
    private static func step(
        _ word: UInt32, _ bytes: UnsafeRawBufferPointer, _ index: Int, _ tables: UnsafeBufferPointer<UInt32>
    ) -> UInt32 {
        let low = bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self).littleEndian
        let high = bytes.loadUnaligned(fromByteOffset: index &+ 8, as: UInt64.self).littleEndian
        return remainder(low ^ UInt64(word), tables, from: 8) ^ remainder(high, tables, from: 0)
    }

    /// Product of two polynomials, modulo the checksum's; the highest bit is the coefficient of x⁰.
    private static func product(_ one: UInt32, _ other: UInt32) -> UInt32 {
        var (sum, power) = (UInt32(0), other)
        for bit in 0..<32 as Range<UInt32> {
            if one & (0x8000_0000 >> bit) != 0 { sum ^= power }
            power = power >> 1 ^ (power & 1 == 0 ? 0 : 0xEDB8_8320)
        }
        return sum
    }

    /// x to a power, by which a remainder is multiplied to append this number of zero bits.
    private static func power(_ exponent: Int) -> UInt32 {
        var (result, square, rest) = (UInt32(1) << 31, UInt32(1) << 30, exponent)
        while rest > 0 {
            if rest & 1 == 1 { result = product(result, square) }
            square = product(square, square)
            rest >>= 1
        }
        return result
    }

    /// Remainder of eight bytes, the first one in the lowest bits, that `table` bytes follow.
    @inline(__always)
    private static func remainder(_ word: UInt64, _ tables: UnsafeBufferPointer<UInt32>, from table: Int) -> UInt32 {
        var (sum, rest) = (UInt32(0), word)
        for index in 0..<8 {
            sum ^= tables[(table + 7 - index) << 8 + Int(rest & 0xFF)]
            rest >>= 8
        }
        return sum
    }
}

/// Comparison of frames with those that a generator of test patterns delivers.
///
/// A pattern may begin anywhere: a generator continues between two captures. So a frame has to be one of the expected ones, not
/// the next of them, and a lost one doesn't make all later ones differ.
///
/// *session-bound*
package struct ExpectedFrames: Sendable {
    private var expected: Set<UInt32>

    /// Frames that were compared.
    package private(set) var frames = 0
    package private(set) var mismatches = 0

    /// - Parameter expected: checksums of the pattern's frames; one without motion has one.
    package init(_ expected: [UInt32]) { self.expected = Set(expected) }

    /// Makes a checksum an expected one.
    ///
    /// - Returns: true if it was none before.
    package mutating func accept(_ checksum: UInt32) -> Bool { expected.insert(checksum).inserted }

    /// Compares a frame by the CRC-32 of its bytes.
    ///
    /// - Returns: true if it is one of those that are expected.
    @discardableResult
    package mutating func add(_ checksum: UInt32) -> Bool {
        guard !expected.isEmpty else { return false }
        frames += 1
        if expected.contains(checksum) { return true }
        mismatches += 1
        return false
    }

    /// Measure `crc_mismatches` (frames), without a limit; without a value if no frame was compared.
    package var measures: [Measure] {
        [Measure("crc_mismatches", frames > 0 ? Double(mismatches) : nil, "frames", .lower)]
    }
}
