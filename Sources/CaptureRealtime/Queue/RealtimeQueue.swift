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
