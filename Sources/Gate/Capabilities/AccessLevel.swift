/// How much of a capability is asked for or granted; a higher level includes the lower ones.
///
/// Microphone: `.meter` < `.record`. Camera: `.still` < `.video`. A capability of one's own makes its own levels.
///
/// *thread-safe*
public struct AccessLevel: Hashable, Sendable, Codable, Comparable, CustomStringConvertible {
    public let name: String
    /// Orders the levels of one capability, 1 upwards.
    public let rank: Int

    public init(name: String, rank: Int) {
        self.name = name
        self.rank = rank
    }

    /// Microphone: the loudness may be seen, no sound may be kept.
    public static let meter = AccessLevel(name: "meter", rank: 1)
    /// Microphone: sound may be recorded.
    public static let record = AccessLevel(name: "record", rank: 2)
    /// Camera: single pictures may be taken.
    public static let still = AccessLevel(name: "still", rank: 1)
    /// Camera: moving pictures may be recorded.
    public static let video = AccessLevel(name: "video", rank: 2)

    public static func < (lower: AccessLevel, higher: AccessLevel) -> Bool { lower.rank < higher.rank }

    public var description: String { name }
}
