/// An operation that is a closure.
///
/// *thread-safe*
public struct BlockOperation<Output: Sendable, Failure: Error>: GateOperation, ConditionedOperation {
    public let name: String
    public var conditions: [any OperationCondition] = []
    public var observers: [any OperationObserver] = []
    @usableFromInline let block: @Sendable (OperationContext) async throws(Failure) -> Output

    @inlinable
    public init(
        _ name: String = "BlockOperation",
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

/// An operation that does nothing for a while: others wait for it.
///
/// *thread-safe*
public struct DelayOperation: GateOperation, ConditionedOperation {
    public var conditions: [any OperationCondition] = []
    public var observers: [any OperationObserver] = []
    private let duration: Duration
    private let clock: any Clock<Duration>

    /// - Parameter duration: how long, from when it executes; a negative one is over at once.
    public init(_ duration: Duration, clock: any Clock<Duration> = ContinuousClock()) {
        self.duration = duration
        self.clock = clock
    }

    public func execute(in context: OperationContext) async throws(CancellationError) {
        guard duration > .zero else { return }
        if (try? await clock.sleep(for: duration)) == nil { throw CancellationError() }
    }
}
