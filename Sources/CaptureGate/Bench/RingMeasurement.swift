/// What a ring took for what went through it.
///
/// *thread-safe*
public struct RingMeasurement: Hashable, Sendable {
    /// How frames go through a ring.
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// A period is written by one thread and read by another.
        case sound
        /// A buffer is lent to the reader and given back; nothing is copied.
        case picture
    }

    public let kind: Kind
    /// Of a period; 0 for pictures, whose size costs nothing.
    public let bytes: Int
    /// Periods or pictures.
    public let items: Int
    /// Nanoseconds by the clock, of all of them.
    public let elapsedNanoseconds: Int64

    public init(kind: Kind, bytes: Int, items: Int, elapsedNanoseconds: Int64) {
        self.kind = kind
        self.bytes = bytes
        self.items = items
        self.elapsedNanoseconds = elapsedNanoseconds
    }

    public var nanosecondsPerItem: Double { Double(elapsedNanoseconds) / Double(max(items, 1)) }
    /// Bytes that went through in a second.
    public var throughput: Double { Double(bytes) * Double(items) * 1e9 / Double(max(elapsedNanoseconds, 1)) }
}
