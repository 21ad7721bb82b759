/// Numbers as the formats of RIFF, Ogg and the kernel's records store them: the least significant byte first.
///
/// *thread-safe*
package enum LittleEndian {
    /// The lowest bytes of a number; of a negative one those of its two's complement.
    ///
    /// - Parameters:
    ///   - value: the number.
    ///   - count: bytes, 1 upwards.
    package static func bytes(_ value: some FixedWidthInteger, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    /// The number in some bytes.
    ///
    /// - Parameters:
    ///   - bytes: must have all of it.
    ///   - offset: its first byte.
    ///   - count: 1 to 8.
    package static func number(_ bytes: [UInt8], at offset: Int, _ count: Int) -> UInt64 {
        (0..<count).reduce(0) { $0 | UInt64(bytes[offset + $1]) << (8 * UInt64($1)) }
    }
}
