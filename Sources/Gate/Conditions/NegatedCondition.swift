/// Satisfied where the condition is not.
///
/// *thread-safe*
public struct NegatedCondition<Wrapped: OperationCondition>: OperationCondition, ComposedCondition {
    public let condition: Wrapped

    public init(_ condition: Wrapped) {
        self.condition = condition
    }

    public var name: String { "Negated(\(condition.name))" }
    public var exclusions: Set<String> { condition.exclusions }

    func tree(_ leaves: inout ConditionLeaves) -> ConditionTree {
        .not(leaves.tree(of: condition), name: condition.name)
    }
}
