/// Attempt that comes next: the operation that is executed, and the wait before it.
///
/// *thread-safe*
public struct NextAttempt<Wrapped: QueuedOperation>: Sendable {
    public var operation: Wrapped
    /// Wait before it. A negative duration means no wait.
    public var delay: Duration

    public init(_ operation: Wrapped, after delay: Duration = .zero) {
        self.operation = operation
        self.delay = delay
    }
}

/// Attempt that did not succeed.
///
/// *thread-safe*
public struct FailedAttempt<Wrapped: QueuedOperation>: Sendable {
    public let operation: Wrapped
    /// Its error; never `.cancelled`.
    public let error: OperationError<Wrapped.Failure>
    /// Number of the attempt, 1 for the first.
    public let number: Int
    /// All waits until now.
    public let waited: Duration
}

/// Another operation, tried again when it fails: conditions are evaluated again for each attempt, and a person is asked
/// once.
///
/// A `once` grant is for one attempt that captures. A refusal that another attempt can't change ends the operation: denied,
/// restricted, dismissed.
///
/// *thread-safe*
public struct RetryOperation<Wrapped: QueuedOperation>: ConditionedOperation {
    public typealias Output = Wrapped.Output
    public typealias Failure = Wrapped.Failure

    public let operation: Wrapped
    public var conditions: [any OperationCondition] = []
    public var observers: [any OperationObserver] = []
    private let attempts: Int
    private let strategy: WaitStrategy
    private let deadline: Duration?
    private let clock: any Clock<Duration>
    private let next: @Sendable (FailedAttempt<Wrapped>, NextAttempt<Wrapped>) async -> NextAttempt<Wrapped>?

    /// - Parameters:
    ///   - operation: the operation to try.
    ///   - attempts: maximum number of attempts, 1 or more.
    ///   - strategy: the wait before each further attempt.
    ///   - deadline: no attempt begins after the waits have taken longer than this in total.
    ///   - clock: the clock of the waits.
    ///   - isWorthwhile: true if another attempt can help after this error; never called for `.cancelled`.
    public init(
        _ operation: Wrapped, attempts: Int, waiting strategy: WaitStrategy = .immediate, deadline: Duration? = nil,
        clock: any Clock<Duration> = ContinuousClock(),
        where isWorthwhile: @escaping @Sendable (OperationError<Failure>) -> Bool = { $0.mayPass }
    ) {
        self.init(operation, attempts: attempts, waiting: strategy, deadline: deadline, clock: clock) { failed, next in
            isWorthwhile(failed.error) ? next : nil
        }
    }

    /// Tries another operation, or after another wait, as a handler decides from the failure: a second device, a lower
    /// quality, the time that a server names.
    /// - Parameters:
    ///   - operation: the operation to try first.
    ///   - attempts: how often it is tried at most, 1 upwards.
    ///   - strategy: the wait that is proposed to the handler.
    ///   - deadline: no attempt begins when the waits have taken longer altogether.
    ///   - clock: the clock of the waits.
    ///   - next: called after each failed attempt but the last, with that and a proposal: the same operation after the
    ///     strategy's wait. It returns the attempt to make, or `nil` to end with the error.
    public init(
        _ operation: Wrapped, attempts: Int, waiting strategy: WaitStrategy = .immediate, deadline: Duration? = nil,
        clock: any Clock<Duration> = ContinuousClock(),
        next: @escaping @Sendable (FailedAttempt<Wrapped>, NextAttempt<Wrapped>) async -> NextAttempt<Wrapped>?
    ) {
        self.operation = operation
        self.attempts = max(1, attempts)
        self.strategy = strategy
        self.deadline = deadline
        self.clock = clock
        self.next = next
    }

    public var name: String { "Retry(\(operation.name))" }

    public func perform(in context: OperationContext) async -> OperationResult<Output, Failure> {
        context.willExecute()
        return await InteractionPolicy.once { await attempt(in: context) }
    }

    // The waits are added up instead of the clock being read: the deadline is about the waits, and an attempt that asks a
    // person takes as long as it takes.
    private func attempt(in context: OperationContext) async -> OperationResult<Output, Failure> {
        var (operation, number, waited) = (operation, 1, Duration.zero)
        while true {
            let result = await context.passOn(operation)
            guard case .failure(let error) = result, number < attempts, !error.isCancelled, !Task.isCancelled else {
                return result
            }
            let failed = FailedAttempt(operation: operation, error: error, number: number, waited: waited)
            let proposal = NextAttempt(operation, after: strategy.wait(after: number))
            guard let next = await next(failed, proposal) else { return result }
            waited += max(.zero, next.delay)
            if let deadline, waited > deadline { return result }
            guard await clock.passes(next.delay) else { return .failure(.cancelled) }
            (operation, number) = (next.operation, number + 1)
        }
    }
}

extension Clock<Duration> {
    /// Waits for a time, which may be none or negative; `false` where the task was cancelled.
    fileprivate func passes(_ duration: Duration) async -> Bool {
        (try? await sleep(for: max(.zero, duration))) != nil && !Task.isCancelled
    }
}

extension OperationError {
    fileprivate var isCancelled: Bool { if case .cancelled = self { true } else { false } }
}

extension OperationError {
    /// True if the next attempt can succeed, because the error is not a person's denial.
    public var mayPass: Bool {
        guard case .refused(let error) = self else { return true }
        return ![.notAuthorized, .dismissed, .configuration, .usage, .deadlock].contains(error.kind)
    }
}

/// Another operation, executed again and again: conditions are evaluated again each time, and a person is asked once.
///
/// The first attempt that does not succeed ends it, with its error.
///
/// *thread-safe*
public struct RepeatOperation<Wrapped: QueuedOperation>: ConditionedOperation {
    /// Number of successes, and the last output.
    public struct Output: Sendable {
        public let count: Int
        public let last: Wrapped.Output
    }

    public typealias Failure = Wrapped.Failure

    public let operation: Wrapped
    public var conditions: [any OperationCondition] = []
    public var observers: [any OperationObserver] = []
    private let limit: Int
    private let strategy: WaitStrategy
    private let deadline: Duration?
    private let clock: any Clock<Duration>
    private let next: @Sendable (Output, NextAttempt<Wrapped>) async -> NextAttempt<Wrapped>?

    /// - Parameters:
    ///   - operation: the operation to repeat.
    ///   - limit: how often at most, 1 upwards.
    ///   - strategy: the wait before each repetition.
    ///   - deadline: it is enough when the waits have taken longer altogether.
    ///   - clock: the clock of the waits.
    ///   - isEnough: whether to end after this output, with its number, 1 for the first.
    public init(
        _ operation: Wrapped, limit: Int = .max, waiting strategy: WaitStrategy = .immediate,
        deadline: Duration? = nil, clock: any Clock<Duration> = ContinuousClock(),
        until isEnough: @escaping @Sendable (Wrapped.Output, Int) -> Bool = { _, _ in false }
    ) {
        self.init(operation, limit: limit, waiting: strategy, deadline: deadline, clock: clock) { output, next in
            isEnough(output.last, output.count) ? nil : next
        }
    }

    /// Repeats with another operation, or after another wait, as a handler decides from the output: the next page, the
    /// next file.
    /// - Parameters:
    ///   - operation: the operation that comes first.
    ///   - limit: how often at most, 1 upwards.
    ///   - strategy: the wait that is proposed to the handler.
    ///   - deadline: it is enough when the waits have taken longer altogether.
    ///   - clock: the clock of the waits.
    ///   - next: called after each success but the last, with the output and a proposal: the same operation after the
    ///     strategy's wait. It returns what to execute next, or `nil` to end with this output.
    public init(
        _ operation: Wrapped, limit: Int = .max, waiting strategy: WaitStrategy = .immediate,
        deadline: Duration? = nil, clock: any Clock<Duration> = ContinuousClock(),
        next: @escaping @Sendable (Output, NextAttempt<Wrapped>) async -> NextAttempt<Wrapped>?
    ) {
        self.operation = operation
        self.limit = max(1, limit)
        self.strategy = strategy
        self.deadline = deadline
        self.clock = clock
        self.next = next
    }

    public var name: String { "Repeat(\(operation.name))" }

    public func perform(in context: OperationContext) async -> OperationResult<Output, Failure> {
        context.willExecute()
        return await InteractionPolicy.once { await loop(in: context) }
    }

    // Each time through `context.perform`, so that conditions are evaluated and locks are taken again.
    private func loop(in context: OperationContext) async -> OperationResult<Output, Failure> {
        var (operation, count, waited) = (operation, 0, Duration.zero)
        while true {
            let output: Output
            count += 1
            switch await context.passOn(operation) {
            case .failure(let error): return .failure(error)
            case .success(let value): output = Output(count: count, last: value)
            }
            let proposal = NextAttempt(operation, after: strategy.wait(after: count))
            guard count < limit, let next = await next(output, proposal) else { return .success(output) }
            waited += max(.zero, next.delay)
            if let deadline, waited > deadline { return .success(output) }
            guard await clock.passes(next.delay) else { return .failure(.cancelled) }
            operation = next.operation
        }
    }
}

/// Waits between one attempt and the next.
///
/// *thread-safe*
public struct WaitStrategy: Sendable {
    private enum Course: Sendable {
        case constant(Duration)
        case incrementing(Duration, by: Duration)
        case exponential(Duration, factor: Double)
        case fibonacci(Duration)
        case random(ClosedRange<Duration>)
    }

    private let course: Course
    /// Longest wait.
    private let maximum: Duration
    /// Part of a wait that is added or subtracted at random, 0…1.
    private let jitter: Double

    private init(_ course: Course, maximum: Duration = .seconds(86400), jitter: Double = 0) {
        self.course = course
        self.maximum = maximum
        self.jitter = jitter
    }

    public static let immediate = WaitStrategy(.constant(.zero))

    public static func constant(_ duration: Duration) -> WaitStrategy { WaitStrategy(.constant(duration)) }

    /// `first`, then each time `increment` more.
    public static func incrementing(_ first: Duration, by increment: Duration) -> WaitStrategy {
        WaitStrategy(.incrementing(first, by: increment))
    }

    /// `first`, then each time `factor` times as long.
    public static func exponential(_ first: Duration, factor: Double = 2) -> WaitStrategy {
        WaitStrategy(.exponential(first, factor: factor))
    }

    /// `unit` times 1, 1, 2, 3, 5, 8…
    public static func fibonacci(_ unit: Duration) -> WaitStrategy { WaitStrategy(.fibonacci(unit)) }

    /// Any length of the range, each as likely as the other.
    public static func random(_ range: ClosedRange<Duration>) -> WaitStrategy { WaitStrategy(.random(range)) }

    /// Strategy whose waits are never longer than `maximum`.
    public func limited(to maximum: Duration) -> WaitStrategy {
        WaitStrategy(course, maximum: maximum, jitter: jitter)
    }

    /// Strategy with random waits, longer or shorter by up to `part` of them (0…1). Operations that wait for the same thing
    /// then return at different times.
    public func jittered(by part: Double) -> WaitStrategy {
        WaitStrategy(course, maximum: maximum, jitter: min(1, max(0, part)))
    }

    /// Wait after the attempt `number` (1 upwards), not negative.
    public func wait(after number: Int) -> Duration {
        var random = SystemRandomNumberGenerator()
        return wait(after: number, by: &random)
    }

    /// Wait after the attempt `number`, with a custom generator.
    public func wait(after number: Int, by random: inout some RandomNumberGenerator) -> Duration {
        let plain = min(length(max(1, number), &random), seconds(of: maximum))
        let factor = jitter == 0 ? 1 : 1 + Double.random(in: -jitter...jitter, using: &random)
        return .seconds(max(0, min(plain * factor, seconds(of: maximum))))
    }

    /// Length of a wait in seconds, as a floating-point number: that neither overflows nor traps, however many attempts
    /// there were.
    private func length(_ number: Int, _ random: inout some RandomNumberGenerator) -> Double {
        switch course {
        case .constant(let duration): return seconds(of: duration)
        case .incrementing(let first, let increment):
            return seconds(of: first) + seconds(of: increment) * Double(number - 1)
        case .exponential(let first, let factor):
            var length = seconds(of: first)
            for _ in 1..<min(number, 4096) where length < seconds(of: maximum) { length *= factor }
            return length
        case .fibonacci(let unit): return seconds(of: unit) * fibonacci(number)
        case .random(let range):
            return Double.random(in: seconds(of: range.lowerBound)...seconds(of: range.upperBound), using: &random)
        }
    }

    private func fibonacci(_ number: Int) -> Double {
        var (this, next) = (1.0, 1.0)
        for _ in 1..<min(number, 4096) where next.isFinite { (this, next) = (next, this + next) }
        return this
    }

    private func seconds(of duration: Duration) -> Double {
        let (seconds, attoseconds) = duration.components
        return Double(seconds) + Double(attoseconds) / 1e18
    }
}
