/// Operation that is a closure.
///
/// Its output and its error are the closure's. Cancelling the operation cancels the task in which the closure runs.
///
/// *thread-safe*
public struct ClosureOperation<Output: Sendable, Failure: Error>: GateOperation, ConditionedOperation {
    public let name: String
    public var conditions: [any OperationCondition] = []
    public var observers: [any OperationObserver] = []
    @usableFromInline let block: @Sendable (OperationContext) async throws(Failure) -> Output

    /// - Parameters:
    ///   - name: its name in logs.
    ///   - block: the work; it runs once, unless the operation is retried or repeated.
    @inlinable
    public init(
        _ name: String = "ClosureOperation",
        _ block: @escaping @Sendable (OperationContext) async throws(Failure) -> Output
    ) {
        self.name = name
        self.block = block
    }

    @inlinable
    public func execute(in context: OperationContext) async throws(Failure) -> Output {
        try await block(context)
    }
}

/// Operation that does nothing for a while, so that others can wait for it.
///
/// It ends early if it is cancelled. Meanwhile it holds a slot of its queue.
///
/// *thread-safe*
public struct DelayOperation: GateOperation, ConditionedOperation {
    public var conditions: [any OperationCondition] = []
    public var observers: [any OperationObserver] = []
    private let duration: Duration
    private let clock: any Clock<Duration>

    /// - Parameters:
    ///   - duration: the time from the beginning of its execution; a negative one is over at once.
    ///   - clock: the clock that it sleeps by.
    public init(_ duration: Duration, clock: any Clock<Duration> = ContinuousClock()) {
        self.duration = duration
        self.clock = clock
    }

    public func execute(in context: OperationContext) async throws(CancellationError) {
        guard duration > .zero else { return }
        if (try? await clock.sleep(for: duration)) == nil { throw CancellationError() }
    }
}
