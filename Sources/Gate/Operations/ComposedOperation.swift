/// Another operation with conditions of its own on top: these come first, and while one of them fails those of the other
/// operation are neither evaluated nor asked for.
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
        return await context.perform(operation)
    }
}
