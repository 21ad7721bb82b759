/// Another operation, executed again and again: conditions are evaluated again each time, and a person is asked once.
///
/// The first that does not succeed ends it, with its error.
///
/// *thread-safe*
public struct RepeatOperation<Wrapped: QueuedOperation>: ConditionedOperation {
    /// How often it succeeded, and the last output.
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
    private let isEnough: @Sendable (Wrapped.Output, Int) -> Bool

    /// - Parameters:
    ///   - limit: how often at most, 1 upwards.
    ///   - deadline: it is enough when the waits have taken longer altogether.
    ///   - isEnough: whether to end after this output, the how manieth it is.
    public init(
        _ operation: Wrapped, limit: Int = .max, waiting strategy: WaitStrategy = .immediate,
        deadline: Duration? = nil, clock: any Clock<Duration> = ContinuousClock(),
        until isEnough: @escaping @Sendable (Wrapped.Output, Int) -> Bool = { _, _ in false }
    ) {
        self.operation = operation
        self.limit = max(1, limit)
        self.strategy = strategy
        self.deadline = deadline
        self.clock = clock
        self.isEnough = isEnough
    }

    public var name: String { "Repeat(\(operation.name))" }

    public func perform(in context: OperationContext) async -> OperationResult<Output, Failure> {
        context.willExecute()
        return await AskingScope.once { await loop(in: context) }
    }

    private func loop(in context: OperationContext) async -> OperationResult<Output, Failure> {
        var (count, waited) = (0, Duration.zero)
        while true {
            let output: Wrapped.Output
            switch await context.perform(operation) {
            case .failure(let error): return .failure(error)
            case .success(let value): output = value
            }
            count += 1
            let wait = strategy.wait(after: count)
            waited += wait
            let isOver = deadline.map { waited > $0 } ?? false
            if isEnough(output, count) || count == limit || isOver {
                return .success(Output(count: count, last: output))
            }
            guard (try? await clock.sleep(for: wait)) != nil, !Task.isCancelled else { return .failure(.cancelled) }
        }
    }
}
