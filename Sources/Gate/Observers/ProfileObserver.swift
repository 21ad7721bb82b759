import CaptureBase

/// Measures where the time of an operation goes.
///
/// *thread-safe*
public final class ProfileObserver: OperationObserver {
    /// Where the time went; a step that was not reached is nought.
    public struct Profile: Hashable, Sendable {
        /// For dependencies, a resumed queue, or a slot.
        public internal(set) var waiting = Duration.zero
        /// For conditions, questions and locks.
        public internal(set) var evaluating = Duration.zero
        /// In the operation's own work.
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

    /// - Parameter report: called once for each operation, when it has ended.
    public convenience init(_ report: @escaping @Sendable (OperationIdentity, Profile) -> Void) {
        self.init(clock: ContinuousClock(), report)
    }

    /// The same with a clock of one's own.
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

    /// The time up to now belongs to the step it was in.
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
