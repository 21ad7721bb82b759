/// An operation that is a closure.
///
/// *thread-safe*
public struct BlockOperation<Output: Sendable, Failure: Error>: GateOperation, ConditionedOperation {
    public let name: String
    public var conditions: [any OperationCondition] = []
    public var observers: [any OperationObserver] = []
    private let block: @Sendable (OperationContext) async throws(Failure) -> Output

    public init(
        _ name: String = "BlockOperation",
        _ block: @escaping @Sendable (OperationContext) async throws(Failure) -> Output
    ) {
        self.name = name
        self.block = block
    }

    public func execute(in context: OperationContext) async throws(Failure) -> Output {
        try await block(context)
    }
}
