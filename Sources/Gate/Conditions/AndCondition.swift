/// Satisfied where all of its conditions are; without any, too.
///
/// *thread-safe*
public struct AndCondition: OperationCondition, ComposedCondition {
    public let conditions: [any OperationCondition]

    public init(_ conditions: any OperationCondition...) {
        self.conditions = conditions
    }

    public init(_ conditions: [any OperationCondition]) {
        self.conditions = conditions
    }

    public var name: String { "And(\(conditions.map(\.name).joined(separator: ", ")))" }
    public var exclusions: Set<String> { conditions.reduce(into: []) { $0.formUnion($1.exclusions) } }

    func tree(_ leaves: inout ConditionLeaves) -> ConditionTree {
        .all(conditions.map { leaves.tree(of: $0) })
    }
}
