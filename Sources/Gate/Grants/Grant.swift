/// A decision that allows.
///
/// *thread-safe*
@dynamicMemberLookup
public struct Grant: Hashable, Sendable {
    public let decision: Decision

    /// `nil` if the decision denies.
    public init?(_ decision: Decision) {
        guard decision.verdict == .allow else { return nil }
        self.decision = decision
    }

    public subscript<Value>(dynamicMember path: KeyPath<Decision, Value>) -> Value { decision[keyPath: path] }
}
