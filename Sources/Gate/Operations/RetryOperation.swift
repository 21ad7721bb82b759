/// Another operation, tried again when it fails: conditions are evaluated again for each attempt, and a person is asked
/// once.
///
/// A `once` grant is for one attempt that captures. A refusal that another attempt can't change ends it: denied,
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
    private let isWorthwhile: @Sendable (OperationError<Failure>) -> Bool

    /// - Parameters:
    ///   - attempts: how often it is tried at most, 1 upwards.
    ///   - deadline: no attempt begins when the waits have taken longer altogether.
    ///   - isWorthwhile: whether another attempt can help after this error; never asked about `.cancelled`.
    public init(
        _ operation: Wrapped, attempts: Int, waiting strategy: WaitStrategy = .immediate, deadline: Duration? = nil,
        clock: any Clock<Duration> = ContinuousClock(),
        where isWorthwhile: @escaping @Sendable (OperationError<Failure>) -> Bool = { $0.mayPass }
    ) {
        self.operation = operation
        self.attempts = max(1, attempts)
        self.strategy = strategy
        self.deadline = deadline
        self.clock = clock
        self.isWorthwhile = isWorthwhile
    }

    public var name: String { "Retry(\(operation.name))" }

    public func perform(in context: OperationContext) async -> OperationResult<Output, Failure> {
        context.willExecute()
        return await AskingScope.once { await attempt(in: context) }
    }

    private func attempt(in context: OperationContext) async -> OperationResult<Output, Failure> {
        var waited = Duration.zero
        var number = 1
        while true {
            let result = await context.perform(operation)
            guard case .failure(let error) = result, number < attempts, isWorth(error) else { return result }
            let wait = strategy.wait(after: number)
            waited += wait
            if let deadline, waited > deadline { return result }
            guard (try? await clock.sleep(for: wait)) != nil else { return .failure(.cancelled) }
            number += 1
        }
    }

    private func isWorth(_ error: OperationError<Failure>) -> Bool {
        if case .cancelled = error { return false }
        return !Task.isCancelled && isWorthwhile(error)
    }
}

extension OperationError {
    /// Whether the error may be gone at the next attempt: it is not somebody's no.
    public var mayPass: Bool {
        guard case .refused(let error) = self else { return true }
        return ![.notAuthorized, .dismissed, .configuration, .usage, .deadlock].contains(error.kind)
    }
}
