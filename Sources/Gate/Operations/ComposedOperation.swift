/// Operation with additional conditions.
///
/// The additional conditions come first: if one of them fails, those of the operation are neither evaluated nor asked for.
///
/// *thread-safe*
public struct ComposedOperation<Wrapped: QueuedOperation>: ConditionedOperation {
    public typealias Output = Wrapped.Output
    public typealias Failure = Wrapped.Failure

    public let operation: Wrapped
    public var conditions: [any OperationCondition] = []
    public var observers: [any OperationObserver] = []

    public init(_ operation: Wrapped) {
        self.operation = operation
    }

    public var name: String { operation.name }

    public func perform(in context: OperationContext) async -> OperationResult<Output, Failure> {
        context.willExecute()
        return await context.passOn(operation)
    }
}

/// Operation whose output is turned into another.
///
/// *thread-safe*
public struct MapOperation<Wrapped: QueuedOperation, Output: Sendable>: ConditionedOperation {
    public typealias Failure = Wrapped.Failure

    public let operation: Wrapped
    public var conditions: [any OperationCondition] = []
    public var observers: [any OperationObserver] = []
    let transform: @Sendable (Wrapped.Output) -> Output

    public var name: String { operation.name }

    public func perform(in context: OperationContext) async -> OperationResult<Output, Failure> {
        context.willExecute()
        return await context.passOn(operation).map(transform)
    }
}

/// Operation followed by a second one, which is created from its output. The second one's conditions are evaluated after the
/// first has ended.
///
/// *thread-safe*
public struct FlatMapOperation<Wrapped: QueuedOperation, Next: QueuedOperation>: ConditionedOperation
where Next.Failure == Wrapped.Failure {
    public typealias Output = Next.Output
    public typealias Failure = Next.Failure

    public let operation: Wrapped
    public var conditions: [any OperationCondition] = []
    public var observers: [any OperationObserver] = []
    let next: @Sendable (Wrapped.Output) -> Next

    public var name: String { operation.name }

    public func perform(in context: OperationContext) async -> OperationResult<Output, Failure> {
        context.willExecute()
        switch await context.passOn(operation) {
        case .success(let output): return await context.passOn(next(output))
        case .failure(let error): return .failure(error)
        }
    }
}

extension QueuedOperation {
    /// Turns the output into another.
    public func map<Output: Sendable>(
        _ transform: @escaping @Sendable (Self.Output) -> Output
    ) -> MapOperation<Self, Output> {
        MapOperation(operation: self, transform: transform)
    }

    /// Executes another operation after this one has succeeded, made of its output.
    public func flatMap<Next: QueuedOperation>(
        _ next: @escaping @Sendable (Output) -> Next
    ) -> FlatMapOperation<Self, Next> where Next.Failure == Failure {
        FlatMapOperation(operation: self, next: next)
    }
}
