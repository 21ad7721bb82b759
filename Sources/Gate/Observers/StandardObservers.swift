import CaptureBase
import Logging

/// An observer that cancels an operation whose own work takes too long. The operation then ends as `.refused` with the kind
/// `.timedOut`.
///
/// The time for a person's answer does not count: a prompter has its own deadline.
///
/// *thread-safe*
public final class TimeoutObserver: OperationObserver {
    private let limit: Duration
    private let clock: any Clock<Duration>
    private let timers = Locked<[OperationIdentity: Task<Void, Never>]>([:])

    /// - Parameters:
    ///   - limit: Longest time of the work, from the moment in which it begins.
    ///   - clock: Clock that measures it.
    public init(_ limit: Duration, clock: any Clock<Duration> = ContinuousClock()) {
        self.limit = limit
        self.clock = clock
    }

    public func willExecute(_ operation: OperationIdentity, in context: OperationContext) {
        let (limit, clock) = (limit, clock)
        let timer = Task.detached {
            // Cancelled: the work ended in time.
            guard (try? await clock.sleep(for: limit)) != nil else { return }
            context.cancel(with: .timedOut(operation.name, limit))
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
            .timedOut, "\(name) took longer than \(limit).", remedies: [Remedy("Allow more time, or reduce the work.")])
    }
}

/// An observer that logs each step of an operation: refusals and failures as notices, the others for debugging.
///
/// *thread-safe*
public struct LoggingObserver: OperationObserver {
    private let log: Logger

    public init(_ log: Logger) {
        self.log = log
    }

    public func didAttach(_ operation: OperationIdentity) { debug(operation, "was added") }

    public func willEvaluate(_ operation: OperationIdentity, in context: OperationContext) {
        debug(operation, "evaluates its conditions")
    }

    public func didProduce(_ produced: String, for operation: OperationIdentity, in context: OperationContext) {
        debug(operation, "waits for \(produced)")
    }

    public func willExecute(_ operation: OperationIdentity, in context: OperationContext) {
        debug(operation, "executes")
    }

    public func didCancel(_ operation: OperationIdentity, with error: CaptureError?) {
        debug(operation, error.map { "is ending: \($0.message)" } ?? "is ending")
    }

    public func didFinish(_ operation: OperationIdentity, _ outcome: OperationOutcome) {
        switch outcome {
        case .succeeded: debug(operation, "succeeded")
        case .cancelled: debug(operation, "was cancelled")
        case .cancelledWithOutput: debug(operation, "was cancelled after it produced its output")
        case .refused(let error):
            log.notice("\(operation.name) was refused: \(error.message)", metadata: mark(operation))
        case .failed(let error): log.notice("\(operation.name) failed: \(text(of: error))", metadata: mark(operation))
        }
    }

    private func debug(_ operation: OperationIdentity, _ step: String) {
        log.debug("\(operation.name) \(step)", metadata: mark(operation))
    }

    /// The number tells operations of one name apart.
    private func mark(_ operation: OperationIdentity) -> Logger.Metadata { ["operation": "\(operation.number)"] }

    private func text(of error: any Error) -> String { "\(error)" }
}

/// An observer that measures where the time of an operation goes.
///
/// *thread-safe*
public final class ProfileObserver: OperationObserver {
    /// Times by step; zero for a step that was not reached.
    public struct Profile: Hashable, Sendable {
        /// Time waited for dependencies, a resumed queue, or a slot.
        public internal(set) var waiting = Duration.zero
        /// Time in conditions, questions and locks.
        public internal(set) var evaluating = Duration.zero
        /// Time in the operation's own work.
        public internal(set) var executing = Duration.zero
    }

    private struct Measurement {
        var profile = Profile()
        var since: Duration
        var step = \Profile.waiting
    }

    private let now: @Sendable () -> Duration
    private let report: @Sendable (OperationIdentity, Profile) -> Void
    private let measurements = Locked<[OperationIdentity: Measurement]>([:])

    /// - Parameter report: Called once for each operation, when it has ended.
    public convenience init(_ report: @escaping @Sendable (OperationIdentity, Profile) -> Void) {
        self.init(clock: ContinuousClock(), report)
    }

    /// Measures with another clock.
    ///
    /// - Parameters:
    ///   - clock: Any clock of durations; only differences of its instants count.
    ///   - report: Called once for each operation, when it has ended.
    public init<C: Clock<Duration>>(
        clock: C, _ report: @escaping @Sendable (OperationIdentity, Profile) -> Void
    ) {
        let start = clock.now
        now = { start.duration(to: clock.now) }
        self.report = report
    }

    public func didAttach(_ operation: OperationIdentity) {
        let now = now()
        measurements.withLock { $0[operation] = Measurement(since: now) }
    }

    public func willEvaluate(_ operation: OperationIdentity, in context: OperationContext) {
        enter(\.evaluating, operation)
    }

    public func willExecute(_ operation: OperationIdentity, in context: OperationContext) {
        enter(\.executing, operation)
    }

    public func didFinish(_ operation: OperationIdentity, _ outcome: OperationOutcome) {
        enter(\.executing, operation)
        let measurement = measurements.withLock { $0.removeValue(forKey: operation) }
        if let measurement { report(operation, measurement.profile) }
    }

    /// Adds the time up to now to the step that ends with it.
    private func enter(_ step: WritableKeyPath<Profile, Duration> & Sendable, _ operation: OperationIdentity) {
        let now = now()
        measurements.withLock { measurements in
            guard var measurement = measurements[operation] else { return }
            measurement.profile[keyPath: measurement.step] += now - measurement.since
            measurement.since = now
            measurement.step = step
            measurements[operation] = measurement
        }
    }
}
