/// Whether an encoder keeps up.
///
/// *thread-safe*
public enum Headroom: String, Hashable, Sendable, CaseIterable, Codable {
    /// It takes two thirds of a processor at most, and one frame in a hundred two frames' time at most.
    case fine
    /// It keeps up with nothing beside it.
    case tight
    /// Frames would be lost.
    case slow

    /// - Parameters:
    ///   - times: how many times faster than it has to be.
    ///   - slowest: the slowest frame but one in a hundred, nanoseconds.
    ///   - frame: from one frame to the next, nanoseconds.
    public init(times: Double, slowest: Int64, frame: Int64) {
        if times < 1 {
            self = .slow
        } else {
            self = times >= 1.5 && slowest <= 2 * frame ? .fine : .tight
        }
    }
}
