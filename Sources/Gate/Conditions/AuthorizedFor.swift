/// Satisfied where a capability is there and allowed at the level required; asks a person first, if asking can help.
///
/// It asks where nothing is decided, or the granted level is too low and can be raised. Denied and restricted never ask
/// again, and what is not there is not asked for.
///
/// *thread-safe*
public struct AuthorizedFor<Capable: CapabilityType>: OperationCondition {
    public let capability: Capable

    public init(_ capability: Capable) {
        self.capability = capability
    }

    public var name: String { "AuthorizedFor(\(capability.name))" }

    public func dependency(in context: OperationContext) async -> (any GateOperation)? {
        guard await capability.report(in: context.gatekeeper).isAskable else { return nil }
        return Authorize(capability)
    }

    public func evaluate(in context: OperationContext) async -> ConditionResult {
        let refusal = await capability.report(in: context.gatekeeper).refusal
        return refusal.map { .failed($0) } ?? .satisfied
    }
}
