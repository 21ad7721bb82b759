/// Reports whether a capability is there and allowed. Asks nobody.
///
/// *thread-safe*
public struct GetAuthorizationStatus<Capable: CapabilityType>: GateOperation, ConditionedOperation {
    public let capability: Capable
    public var conditions: [any OperationCondition] = []
    public var observers: [any OperationObserver] = []
    private let completion: @Sendable (Availability, AuthorizationStatus) -> Void

    /// - Parameter completion: called once, in the operation's task.
    public init(
        _ capability: Capable,
        completion: @escaping @Sendable (Availability, AuthorizationStatus) -> Void = { _, _ in }
    ) {
        self.capability = capability
        self.completion = completion
    }

    public var name: String { "GetAuthorizationStatus(\(capability.name))" }

    @discardableResult
    public func execute(in context: OperationContext) async -> AuthorizationReport {
        let report = await AskingScope.silently { await capability.report(in: context.gatekeeper) }
        completion(report.availability, report.status)
        return report
    }
}
