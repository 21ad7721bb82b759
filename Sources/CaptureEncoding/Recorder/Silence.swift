import CaptureGate

/// Whether all microphones of a recording have been quiet for long enough.
final class Silence {
    let rule: SilenceRule
    /// Of each microphone, nanoseconds of the clip for which it has been quiet by now.
    private var quiet: [Int64] = []
    private(set) var isOver = false

    init(_ rule: SilenceRule) { self.rule = rule }

    /// - Returns: the number of a microphone that is to be listened to.
    func add() -> Int {
        quiet.append(0)
        return quiet.count - 1
    }

    /// - Returns: whether it is over.
    func note(_ nanoseconds: Int64, of microphone: Int) -> Bool {
        quiet[microphone] = nanoseconds
        isOver = isOver || quiet.allSatisfy { $0 >= rule.duration.nanoseconds }
        return isOver
    }
}
