import Dispatch

/// A serial queue whose one block is a whole capture session.
///
/// *thread-safe*
public final class RealtimeQueue: Sendable {
    private let queue: DispatchQueue
    private let label: String
    private let broker: (any RealtimeBroker)?

    /// - Parameters:
    ///   - label: Also the thread's name while it captures: its first 15 bytes.
    ///   - broker: Asked for realtime priority where the system refuses it.
    public init(label: String, broker: (any RealtimeBroker)? = nil) {
        self.label = label
        self.broker = broker
        queue = DispatchQueue(label: label)
    }

    /// Runs a session: asks for SCHED_FIFO, else the broker, else for nice -11, and reports what it got; runs the loop; puts
    /// the thread back as it was; closes the device; tells the reader.
    ///
    /// - Parameter completion: Called on the queue's thread at the very end.
    public func run<Run: CaptureRun & ~Copyable>(
        _ run: consuming Run, completion: @escaping @Sendable (LoopResult) -> Void
    ) {
        let box = RunBox(run)
        let (label, broker) = (label, broker)
        queue.async {
            guard var run = box.take() else { return }
            let name = ThreadName(setting: label)
            let policy = ThreadPolicy()
            run.report(policy.raise(allowed: run.allowsRealtimePriority, by: broker))
            let result = run.capture()
            policy.restore()
            name.restore()
            run.finish(result)
            completion(result)
        }
    }
}
