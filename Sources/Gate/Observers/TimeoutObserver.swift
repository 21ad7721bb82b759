import CaptureBase

/// Cancels an operation whose own work takes too long; it then ends as `.refused` with the kind `.timedOut`.
///
/// The time for a person's answer does not count: a prompter has a deadline of its own.
///
/// *thread-safe*
public final class TimeoutObserver: OperationObserver {
    private let limit: Duration
    private let clock: any Clock<Duration>
    private let timers = Locked<[OperationIdentity: Task<Void, Never>]>([:])

    /// - Parameter limit: how long the work may take, from the moment in which it begins.
    public init(_ limit: Duration, clock: any Clock<Duration> = ContinuousClock()) {
        self.limit = limit
        self.clock = clock
    }

    public func willExecute(_ operation: OperationIdentity, in context: OperationContext) {
        let (limit, clock) = (limit, clock)
        let timer = Task.detached {
            guard (try? await clock.sleep(for: limit)) != nil else { return }
            context.cancel(because: .timedOut(operation.name, limit))
        }
        timers.withLock { $0[operation] = timer }
    }

    public func didFinish(_ operation: OperationIdentity, _ outcome: OperationOutcome) {
        timers.withLock { $0.removeValue(forKey: operation) }?.cancel()
    }
}

extension CaptureError {
    fileprivate static func timedOut(_ name: String, _ limit: Duration) -> CaptureError {
        CaptureError(
            .timedOut, "\(name) took longer than \(limit).", remedies: [Remedy("Give it more time, or less to do.")])
    }
}
