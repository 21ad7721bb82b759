import CaptureBase
import Dispatch

/// A serial queue whose one block is a whole capture session.
///
/// *thread-safe*
public final class RealtimeQueue: Sendable {
    private let queue: DispatchQueue
    private let label: String
    private let broker: (any RealtimeBroker)?
    private let patience: Duration
    private let later: Later

    /// Calls a body once, some nanoseconds later.
    package typealias Later = @Sendable (_ nanoseconds: Int, _ body: @escaping @Sendable () -> Void) -> Void

    /// - Parameters:
    ///   - label: Also the thread's name while it captures: its first 15 bytes.
    ///   - broker: Asked for realtime priority if the system refuses it.
    ///   - patience: Longest time that a call to the device may take before the session counts as stalled. Some cameras
    ///     take seconds to start.
    public convenience init(label: String, broker: (any RealtimeBroker)? = nil, patience: Duration = .seconds(5)) {
        self.init(label: label, broker: broker, patience: patience) { nanoseconds, body in
            DispatchQueue.global(qos: .utility).asyncAfter(deadline: .now() + .nanoseconds(nanoseconds)) { body() }
        }
    }

    /// - Parameter later: Schedules the checks for a hang; a test passes its own timer.
    package init(
        label: String, broker: (any RealtimeBroker)? = nil, patience: Duration, later: @escaping Later
    ) {
        self.label = label
        self.patience = patience
        self.broker = broker
        self.later = later
        queue = DispatchQueue(label: label)
    }

    /// Runs a session. Asks for SCHED_FIFO, otherwise the broker, otherwise for nice -11, and reports the result; runs the loop;
    /// restores the thread; closes the device; ends the ring for the reader. If a call to the device never returns, only the
    /// reader learns of the end, and the thread stays.
    ///
    /// - Parameters:
    ///   - run: Consumed: the device closes with it.
    ///   - completion: Called on the queue's thread at the very end.
    public func run<Run: CaptureRun & ~Copyable>(
        _ run: consuming Run, completion: @escaping @Sendable (LoopResult) -> Void
    ) {
        let transfer = RunTransfer(run)
        let (label, broker, patience, later) = (label, broker, patience, later)
        queue.async {
            guard var run = transfer.take() else { return }
            let detector = run.hangDetector(patience: patience)
            if let detector { Self.look(by: detector, after: detector.firstLook(), later) }
            let name = ThreadName(setting: label)
            let policy = ThreadPolicy()
            run.report(policy.raise(allowed: run.allowsRealtimePriority, by: broker))
            let result = run.capture()
            policy.restore()
            name.restore()
            run.finish(result)
            withExtendedLifetime(detector) {}
            completion(result)
        }
    }

    /// Checks until the session ends. The reference is weak, so that a timer keeps nothing of a finished session alive.
    private static func look(by detector: HangDetector, after last: HangDetector.Look, _ later: @escaping Later) {
        later(detector.interval) { [weak detector] in
            if let detector, let next = detector.look(after: last) { look(by: detector, after: next, later) }
        }
    }
}

/// Capture that a ``RealtimeQueue`` runs: a stream from any source.
///
/// *session-bound*
public protocol CaptureRun: ~Copyable, Sendable {
    /// False if realtime priority would starve the machine.
    var allowsRealtimePriority: Bool { get }

    /// Stores the priority that the thread obtained in the counters.
    func report(_ priority: ThreadPriority)
    /// Makes a detector of hangs in ``capture()`` and ``finish(_:)``; `nil`, the default, for a run that needs none.
    ///
    /// - Parameter patience: The longest time that a call may take.
    func hangDetector(patience: Duration) -> HangDetector?
    /// Runs the whole session on the calling thread.
    mutating func capture() -> LoopResult
    /// Closes the device, then ends the ring for its reader.
    consuming func finish(_ result: LoopResult)
}

extension CaptureRun where Self: ~Copyable {
    public func hangDetector(patience: Duration) -> HangDetector? { nil }
}

/// Carries a noncopyable run into an escaping block, which can't consume what it captured.
final class RunTransfer<Run: CaptureRun & ~Copyable>: @unchecked Sendable {
    // `@unchecked Sendable`: filled before the block is enqueued, and emptied by the block, which runs once.
    private var run: Run?

    init(_ run: consuming Run) {
        self.run = consume run
    }

    func take() -> Run? {
        run.take()
    }
}

/// Detects, outside the capture thread, a call that never returns, such as one to a stopped sound server: the loop's own
/// ``Watchdog`` hangs with it. It reports to the reader that the device stalled. It abandons the thread and the device, because
/// nothing can end such a call.
///
/// It counts checks, not time: a process that was frozen for an hour has missed only one.
///
/// *thread-safe*
public final class HangDetector: Sendable {
    /// Number of checks in a row without progress that count as a hang.
    private static let looks = 5

    private let control: LoopControl
    private let counters: CaptureCounters
    private let giveUp: @Sendable (LoopResult) -> Void
    /// Time between two checks, ns.
    let interval: Int

    /// - Parameters:
    ///   - control: Stops the loop if its call returns later.
    ///   - counters: Show the loop's turns.
    ///   - patience: Longest time that a call may take, in addition to the five quarters of a period for which the loop may wait.
    ///   - period: Duration of a period or frame, ns.
    ///   - giveUp: Ends the ring for its reader.
    init(
        _ control: LoopControl, _ counters: CaptureCounters, patience: Duration, period: Int64,
        giveUp: @escaping @Sendable (LoopResult) -> Void
    ) {
        self.control = control
        self.counters = counters
        self.giveUp = giveUp
        interval = Int((patience + .nanoseconds(period / 4 * 5)) / .nanoseconds(1)) / Self.looks
    }

    /// Result of one check.
    struct Look {
        fileprivate let turns: UInt64
        /// Number of further checks allowed without progress.
        fileprivate let left: Int
    }

    func firstLook() -> Look { Look(turns: counters.turns, left: Self.looks) }

    /// Checks again, one ``interval`` later.
    ///
    /// - Returns: `nil` if the thread hangs and was abandoned.
    func look(after last: Look) -> Look? {
        let turns = counters.turns
        if turns != last.turns { return Look(turns: turns, left: Self.looks) }
        if last.left > 1 { return Look(turns: turns, left: last.left - 1) }
        // Stopping and closing a device that is gone may hang as well: an outcome that was decided before is the correct one.
        let result = counters.outcome ?? control.word.result() ?? LoopResult(.stalled)
        // No frame may follow if the call returns later.
        control.request(.stop)
        giveUp(result)
        return nil
    }
}
