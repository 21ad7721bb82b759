/// A piece of an interrupted recording that is not in the finished clip.
///
/// *thread-safe*
public struct RecoveryLoss: Hashable, Sendable {
    public enum Reason: String, Hashable, Sendable, CaseIterable {
        /// The file ends in the middle of it.
        case tornEnd = "torn_end"
        /// Its bytes are not what was written.
        case damaged
    }

    /// Where it began in the interrupted file, bytes.
    public let offset: Int64
    public let byteCount: Int64
    public let reason: Reason
    /// How much silence stands in its place, nanoseconds.
    public let silencedNanoseconds: Int64

    public init(offset: Int64, byteCount: Int64, reason: Reason, silencedNanoseconds: Int64 = 0) {
        self.offset = offset
        self.byteCount = byteCount
        self.reason = reason
        self.silencedNanoseconds = silencedNanoseconds
    }

    var jsonText: JSONText {
        .object([
            ("offset", .integer(offset)), ("bytes", .integer(byteCount)), ("reason", .string(reason.rawValue)),
            ("silenced_ns", .integer(silencedNanoseconds)),
        ])
    }
}
