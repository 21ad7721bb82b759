import Dispatch

/// A serial queue whose one block is a whole capture session.
///
/// *thread-safe*
public final class RealtimeQueue: Sendable {
    private let queue: DispatchQueue
    private let label: String
    private let broker: (any RealtimeBroker)?
    private let patience: Duration

    /// - Parameters:
    ///   - label: Also the thread's name while it captures: its first 15 bytes.
    ///   - broker: Asked for realtime priority where the system refuses it.
    ///   - patience: How long a call to the device may take before the session counts as stalled. Some cameras take seconds
    ///     to start.
    public init(label: String, broker: (any RealtimeBroker)? = nil, patience: Duration = .seconds(5)) {
        self.label = label
        self.patience = patience
        self.broker = broker
        queue = DispatchQueue(label: label)
    }

    /// Runs a session: asks for SCHED_FIFO, else the broker, else for nice -11, and reports what it got; runs the loop; puts
    /// the thread back as it was; closes the device; tells the reader. Where a call to the device never returns, the reader
    /// is told that alone, and the thread stays behind.
    ///
    /// - Parameter completion: Called on the queue's thread at the very end.
    public func run<Run: CaptureRun & ~Copyable>(
        _ run: consuming Run, completion: @escaping @Sendable (LoopResult) -> Void
    ) {
        let transfer = RunTransfer(run)
        let (label, broker, patience) = (label, broker, patience)
        queue.async {
            guard var run = transfer.take() else { return }
            let detector = run.hangDetector(patience: patience)
            if let detector { Self.look(by: detector, after: detector.firstLook()) }
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

    /// For as long as the session lives: weak, so that it holds nothing of one that is over.
    private static func look(by detector: HangDetector, after last: HangDetector.Look) {
        let next = DispatchTime.now() + .nanoseconds(detector.interval)
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: next) { [weak detector] in
            if let detector, let next = detector.look(after: last) { look(by: detector, after: next) }
        }
    }
}

/// What a ``RealtimeQueue`` runs: a track, whatever its source.
///
/// *session-bound*
public protocol CaptureRun: ~Copyable, Sendable {
    var allowsRealtimePriority: Bool { get }

    /// Tells the counters what the thread achieved.
    func report(_ priority: RealtimePriority)
    /// Who is to notice that ``capture()`` or ``finish(_:)`` hangs.
    ///
    /// - Parameter patience: How long a call may take.
    func hangDetector(patience: Duration) -> HangDetector?
    /// The whole session.
    mutating func capture() -> LoopResult
    /// Closes the device, then tells the reader.
    consuming func finish(_ result: LoopResult)
}

extension CaptureRun where Self: ~Copyable {
    public func hangDetector(patience: Duration) -> HangDetector? { nil }
}

/// Carries a run, which can't be copied, into a block, which can't consume what it captured.
final class RunTransfer<Run: CaptureRun & ~Copyable>: @unchecked Sendable {
    // Sendable by hand: it is filled before the block is enqueued and emptied by the block, which runs once.
    private var run: Run?

    init(_ run: consuming Run) {
        self.run = consume run
    }

    func take() -> Run? {
        run.take()
    }
}

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
