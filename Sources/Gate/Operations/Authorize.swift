import CaptureBase

/// Asks a person for a capability, if asking can help, and reports how it stands then.
///
/// A stored no is a report. A question that ended without an answer, or was not asked, is an error, which is thrown after
/// the report.
///
/// *thread-safe*
public struct Authorize<Capable: CapabilityType>: GateOperation, ConditionedOperation {
    public let capability: Capable
    public var conditions: [any OperationCondition] = []
    public var observers: [any OperationObserver] = []
    private let completion: @Sendable (Availability, AuthorizationStatus) -> Void
    /// The reading by which somebody found that asking can help.
    private let known: AuthorizationSnapshot?

    /// - Parameter completion: called once, in the operation's task, with the status as read from the store after the
    ///   answer was stored there; never with the answer itself.
    public init(
        _ capability: Capable,
        completion: @escaping @Sendable (Availability, AuthorizationStatus) -> Void = { _, _ in }
    ) {
        self.capability = capability
        self.completion = completion
        known = nil
    }

    /// - Parameter report: the report by which asking can help: the store is not read again before the question's turn.
    init(_ capability: Capable, after report: AuthorizationReport) {
        self.capability = capability
        completion = { _, _ in }
        known = report.snapshot
    }

    public var name: String { "Authorize(\(capability.name))" }

    @discardableResult
    public func execute(in context: OperationContext) async throws(CaptureError) -> AuthorizationReport {
        let problem = await InteractionPolicy.knowing(known) { () -> CaptureError? in
            do throws(CaptureError) {
                try await capability.requestAuthorization(in: context.gatekeeper)
                return nil
            } catch {
                return error
            }
        }
        let report = await capability.report(in: context.gatekeeper)
        completion(report.availability, report.status)
        if let problem { throw problem }
        return report
    }

    /// Report that a condition's question ended with, just now; `nil` if it is of anything else.
    static func report(in context: OperationContext, on capability: Capable) -> AuthorizationReport? {
        guard let report = context.answer as? AuthorizationReport, let snapshot = report.snapshot,
            let devices = capability as? any DeviceCapability, snapshot.isOf(devices.requests, in: context.gatekeeper)
        else { return nil }
        return report
    }
}

/// Reports availability and status of a capability. Asks nobody.
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
        let report = await InteractionPolicy.silently { await capability.report(in: context.gatekeeper) }
        completion(report.availability, report.status)
        return report
    }
}
