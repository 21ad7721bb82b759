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
        let box = RunBox(run)
        let (label, broker, patience) = (label, broker, patience)
        queue.async {
            guard var run = box.take() else { return }
            let watch = run.hangWatch(patience: patience)
            if let watch { Self.look(by: watch, after: watch.firstLook()) }
            let name = ThreadName(setting: label)
            let policy = ThreadPolicy()
            run.report(policy.raise(allowed: run.allowsRealtimePriority, by: broker))
            let result = run.capture()
            policy.restore()
            name.restore()
            run.finish(result)
            withExtendedLifetime(watch) {}
            completion(result)
        }
    }

    /// For as long as the session lives: weak, so that it holds nothing of one that is over.
    private static func look(by watch: HangWatch, after last: HangWatch.Look) {
        let next = DispatchTime.now() + .nanoseconds(watch.interval)
        DispatchQueue.global(qos: .utility).asyncAfter(deadline: next) { [weak watch] in
            if let watch, let next = watch.look(after: last) { look(by: watch, after: next) }
        }
    }
}
