/// Evaluates the condition, with its question, and goes on however it ends.
///
/// It opens nothing: a capture operation gets its permit from store and policy, or none.
///
/// *thread-safe*
public struct IgnoredCondition<Wrapped: OperationCondition>: OperationCondition, ComposedCondition {
    public let condition: Wrapped

    public init(_ condition: Wrapped) {
        self.condition = condition
    }

    public var name: String { "Ignored(\(condition.name))" }
    public var exclusions: Set<String> { condition.exclusions }

    func tree(_ leaves: inout ConditionLeaves) -> ConditionTree { .ignoring(leaves.tree(of: condition)) }
}
