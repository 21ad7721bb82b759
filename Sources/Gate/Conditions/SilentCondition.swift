/// The same condition, but nobody is asked for it, whatever it is composed of.
///
/// *thread-safe*
public struct SilentCondition<Wrapped: OperationCondition>: OperationCondition, ComposedCondition {
    public let condition: Wrapped

    public init(_ condition: Wrapped) {
        self.condition = condition
    }

    public var name: String { "Silent(\(condition.name))" }
    public var exclusions: Set<String> { condition.exclusions }

    func tree(_ leaves: inout ConditionLeaves) -> ConditionTree { leaves.silently(condition) }
}
