/// How much of a capability is asked for or granted; a higher level includes the lower ones.
///
/// Microphone: `.meter` < `.record`. Camera: `.still` < `.video`. These four are all there are of the two, by name and rank:
/// the gate refuses any other, in a request, and in a stored yes. A capability of one's own makes its own levels.
///
/// A level is what the session that a permit opens can do, and no promise of the program's: `.meter` opens what tells how
/// loud it is, `.still` what takes single pictures, and frames need `.record` or `.video`.
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

    /// Microphone: the loudness can be seen, 20 times a second at most; no sound is lent.
    public static let meter = AccessLevel(name: "meter", rank: 1)
    /// Microphone: sound may be recorded.
    public static let record = AccessLevel(name: "record", rank: 2)
    /// Camera: single pictures can be taken, once they have settled, one a second at most; no frame is lent.
    public static let still = AccessLevel(name: "still", rank: 1)
    /// Camera: moving pictures may be recorded.
    public static let video = AccessLevel(name: "video", rank: 2)

    public static func < (lower: AccessLevel, higher: AccessLevel) -> Bool { lower.rank < higher.rank }

    public var description: String { name }
}
