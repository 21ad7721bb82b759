/// Notices from outside that a capture thread hangs in a call that never returns, as one to a sound server that was
/// stopped: the loop's own ``Watchdog`` hangs with it. The reader is told that the device stalled. Thread and device are
/// given up, for nothing can end such a call.
///
/// It counts looks, not time: a process that was frozen for an hour has missed one.
///
/// *thread-safe*
public final class HangDetector: Sendable {
    /// So many looks in a row find that nothing moved.
    private static let looks = 5

    private let control: LoopControl
    private let counters: CaptureCounters
    private let giveUp: @Sendable (LoopResult) -> Void
    /// From look to look, ns.
    let interval: Int

    /// - Parameters:
    ///   - patience: How long a call may take, beside the five quarters of a period for which the loop may wait.
    ///   - period: Nanoseconds.
    ///   - giveUp: Tells the reader.
    init(
        _ control: LoopControl, _ counters: CaptureCounters, patience: Duration, period: Int64,
        giveUp: @escaping @Sendable (LoopResult) -> Void
    ) {
        self.control = control
        self.counters = counters
        self.giveUp = giveUp
        interval = Int((patience + .nanoseconds(period / 4 * 5)) / .nanoseconds(1)) / Self.looks
    }

    /// What a look saw.
    struct Look {
        fileprivate let turns: UInt64
        /// So many more may see the same.
        fileprivate let left: Int
    }

    func firstLook() -> Look { Look(turns: counters.turns, left: Self.looks) }

    /// An ``interval`` later.
    ///
    /// - Returns: `nil` where the thread hangs, and was given up.
    func look(after last: Look) -> Look? {
        let turns = counters.turns
        if turns != last.turns { return Look(turns: turns, left: Self.looks) }
        if last.left > 1 { return Look(turns: turns, left: last.left - 1) }
        // Stopping and closing a device that is gone may hang as well.
        let result = counters.outcome ?? control.word.result() ?? LoopResult(.stalled)
        // Not one unit more, should the call return after all.
        control.request(.stop)
        giveUp(result)
        return nil
    }
}
