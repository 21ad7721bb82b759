/// Writes EBML elements (RFC 8794): an id, a length, then a value.
struct EBML {
    private(set) var bytes: [UInt8] = []

    mutating func master(_ id: MatroskaID, _ build: (inout EBML) -> Void) {
        var inner = EBML()
        build(&inner)
        element(id, inner.bytes)
    }

    mutating func unsigned(_ id: MatroskaID, _ value: UInt64) { element(id, Self.bigEndian(value)) }

    mutating func signed(_ id: MatroskaID, _ value: Int64) {
        element(id, Self.bigEndian(UInt64(bitPattern: value), width: 8))
    }

    mutating func float(_ id: MatroskaID, _ value: Double) {
        element(id, Self.bigEndian(value.bitPattern, width: 8))
    }

    mutating func string(_ id: MatroskaID, _ value: String) { element(id, Array(value.utf8)) }

    mutating func element(_ id: MatroskaID, _ value: [UInt8]) {
        bytes += id.bytes + Self.length(value.count) + value
    }

    /// An element that says nothing, of exactly `size` bytes, 2 to 128; its place can be used later.
    mutating func void(size: Int) {
        bytes += MatroskaID.void.bytes + [0x80 | UInt8(size - 2)] + [UInt8](repeating: 0, count: size - 2)
    }

    mutating func append(_ more: [UInt8]) { bytes += more }

    /// The shortest form of a length. A length of all ones is kept for "unknown".
    static func length(_ count: Int) -> [UInt8] {
        let width = (1...8).first { UInt64(count) < (UInt64(1) << (7 * UInt64($0))) - 1 } ?? 8
        return length(UInt64(count), width: width)
    }

    static func length(_ count: UInt64, width: Int) -> [UInt8] {
        bigEndian(count | UInt64(1) << (7 * UInt64(width)), width: width)
    }

    static let unknownLength: [UInt8] = [0x01, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]

    static func bigEndian(_ value: UInt64, width: Int) -> [UInt8] {
        (0..<width).map { UInt8(truncatingIfNeeded: value >> (8 * UInt64(width - 1 - $0))) }
    }

    static func bigEndian(_ value: UInt64) -> [UInt8] {
        bigEndian(value, width: max(1, 8 - value.leadingZeroBitCount / 8))
    }
}
