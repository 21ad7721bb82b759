/// Of all operations with this condition and the same category, one executes at a time. It is always satisfied.
///
/// Queues of one gatekeeper share their categories. An operation takes all of its categories at one moment; who came
/// first goes first.
///
/// *thread-safe*
public struct MutuallyExclusive<Category>: OperationCondition {
    public let exclusions: Set<String>

    /// - Parameter detail: tells categories of one type apart, such as the id of a device.
    public init(_ category: Category.Type = Category.self, _ detail: String = "") {
        let type = String(reflecting: category)
        exclusions = [detail.isEmpty ? type : "\(type)(\(detail))"]
    }

    public var name: String { "MutuallyExclusive(\(exclusions.first ?? ""))" }

    public func evaluate(in context: OperationContext) async -> ConditionResult { .satisfied }
}
