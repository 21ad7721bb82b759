/// Satisfied where one of its conditions is; without any, never. Nobody is asked where one that asks nothing is satisfied.
///
/// *thread-safe*
public struct OrCondition: OperationCondition, ComposedCondition {
    public let conditions: [any OperationCondition]

    public init(_ conditions: any OperationCondition...) {
        self.conditions = conditions
    }

    public init(_ conditions: [any OperationCondition]) {
        self.conditions = conditions
    }

    public var name: String { "Or(\(conditions.map(\.name).joined(separator: ", ")))" }
    public var exclusions: Set<String> { conditions.reduce(into: []) { $0.formUnion($1.exclusions) } }

    func tree(_ leaves: inout ConditionLeaves) -> ConditionTree {
        .any(conditions.map { leaves.tree(of: $0) }, name: name)
    }
}
