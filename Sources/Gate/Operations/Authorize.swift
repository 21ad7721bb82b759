import CaptureBase

/// Asks a person for a capability, if asking can help, and reports how it stands then.
///
/// A stored no is a report. A question that ended without an answer, or was not asked, is an error, after the report.
///
/// *thread-safe*
public struct Authorize<Capable: CapabilityType>: GateOperation, ConditionedOperation {
    public let capability: Capable
    public var conditions: [any OperationCondition] = []
    public var observers: [any OperationObserver] = []
    private let completion: @Sendable (Availability, AuthorizationStatus) -> Void

    /// - Parameter completion: called once, in the operation's task, with the status as read from the store after the
    ///   answer was stored there; never with the answer itself.
    public init(
        _ capability: Capable,
        completion: @escaping @Sendable (Availability, AuthorizationStatus) -> Void = { _, _ in }
    ) {
        self.capability = capability
        self.completion = completion
    }

    public var name: String { "Authorize(\(capability.name))" }

    @discardableResult
    public func execute(in context: OperationContext) async throws(CaptureError) -> AuthorizationReport {
        var problem: CaptureError?
        do throws(CaptureError) {
            try await capability.requestAuthorization(in: context.gatekeeper)
        } catch {
            problem = error
        }
        let report = await capability.report(in: context.gatekeeper)
        completion(report.availability, report.status)
        if let problem { throw problem }
        return report
    }
}
