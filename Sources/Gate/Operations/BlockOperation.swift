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
