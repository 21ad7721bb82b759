import CaptureBase

/// Satisfied if a capability is available and allowed at the required level. Asks a person first, if asking can help.
///
/// It asks if nothing is decided, or if the granted level is too low and can be raised. It never asks about a denied or restricted
/// capability again, nor about an absent device.
///
/// *thread-safe*
public struct AuthorizedFor<Capable: CapabilityType>: OperationCondition {
    public let capability: Capable
    public let exclusions: Set<String>
    private let questionCategory: String?

    /// - Parameters:
    ///   - capability: the capability that must be allowed.
    ///   - category: category of mutual exclusion of the operation with this condition, like `MutuallyExclusive`; `nil` for none.
    ///     It is claimed after the question, so no operation waits for it while a person is asked.
    ///   - questionCategory: category of the question, like `Authorize`: no operation of that category executes while the person
    ///     is asked. Questions are always asked one after another: the gatekeeper orders those about devices, and a custom
    ///     capability has the category `Authorize(name)`, with the capability's name.
    public init(_ capability: Capable, category: String? = nil, questionCategory: String? = nil) {
        self.capability = capability
        exclusions = category.map { [$0] } ?? []
        self.questionCategory = questionCategory
    }

    public var name: String { "AuthorizedFor(\(capability.name))" }

    /// Asks only if an answer can change the outcome. The report is read again afterwards: the stored answer decides,
    /// not the prompter's.
    public func dependency(in context: OperationContext) async -> (any GateOperation)? {
        let report = await capability.comparedReport(in: context.gatekeeper)
        return report.isAskable ? Authorize(capability, category: questionCategory, after: report) : nil
    }

    public func evaluate(in context: OperationContext) async -> ConditionResult {
        let report: AuthorizationReport
        if let answer = Authorize<Capable>.report(in: context, on: capability) {
            report = answer
        } else {
            report = await capability.comparedReport(in: context.gatekeeper)
        }
        return report.refusal.map { .failed($0) } ?? .satisfied
    }
}

/// Satisfied if a person says yes, when the operation is about to begin.
///
/// The answer is for this one evaluation: nothing is stored.
///
/// *thread-safe*
public struct UserConfirmationCondition: OperationCondition {
    public let confirmation: ConfirmationRequest

    public init(_ confirmation: ConfirmationRequest) {
        self.confirmation = confirmation
    }

    public init(_ title: String, message: String = "", agreement: String = "Yes") {
        confirmation = ConfirmationRequest(title, message: message, agreement: agreement)
    }

    public var name: String { "UserConfirmation(\(confirmation.title))" }

    public func dependency(in context: OperationContext) async -> (any GateOperation)? { Confirm(confirmation) }

    public func evaluate(in context: OperationContext) async -> ConditionResult {
        context.answer is Confirm.Given ? .satisfied : .failed(.unasked(confirmation))
    }
}

/// Asks for a confirmation; throws unless the answer is yes.
struct Confirm: GateOperation {
    /// Proof that the person agreed. Only this file makes one, so no other operation's answer can be used in its place.
    struct Given: Sendable {
        fileprivate init() {}
    }

    let confirmation: ConfirmationRequest
    var name: String { "Confirm(\(confirmation.title))" }

    init(_ confirmation: ConfirmationRequest) {
        self.confirmation = confirmation
    }

    func execute(in context: OperationContext) async throws(CaptureError) -> Given {
        try await context.gatekeeper.confirm(confirmation)
        return Given()
    }
}

/// Asks for a permission, if asking can help, and reports the resulting status.
///
/// A stored denial is a report, not an error. If a question ended without an answer, or was not asked, an error is thrown after
/// the report.
///
/// *thread-safe*
public struct Authorize<Capable: CapabilityType>: GateOperation, ConditionedOperation {
    public let capability: Capable
    public var conditions: [any OperationCondition] = []
    public var observers: [any OperationObserver] = []
    private let completion: @Sendable (Availability, AuthorizationStatus) -> Void
    /// Reading that showed that asking can help.
    private let known: AuthorizationSnapshot?

    /// - Parameters:
    ///   - capability: the capability to ask for.
    ///   - category: category of mutual exclusion: no operation of it executes while this one asks. `nil` for none. A custom
    ///     capability always has `Authorize(name)`: a second request is asked only if the first answer leaves it open.
    ///   - completion: called once, in the operation's task, with the status that was read from the store after the answer was
    ///     stored; never with the answer itself.
    public init(
        _ capability: Capable, category: String? = nil,
        completion: @escaping @Sendable (Availability, AuthorizationStatus) -> Void = { _, _ in }
    ) {
        self.init(capability, category, nil, completion)
    }

    /// - Parameter report: shows that asking can help, so the store is not read again before the question's turn.
    init(_ capability: Capable, category: String?, after report: AuthorizationReport) {
        self.init(capability, category, report.snapshot) { _, _ in }
    }

    private init(
        _ capability: Capable, _ category: String?, _ known: AuthorizationSnapshot?,
        _ completion: @escaping @Sendable (Availability, AuthorizationStatus) -> Void
    ) {
        self.capability = capability
        self.completion = completion
        self.known = known
        if let category { conditions = [MutuallyExclusive(category: category)] }
    }

    public var name: String { "Authorize(\(capability.name))" }

    @discardableResult
    public func execute(in context: OperationContext) async throws(CaptureError) -> AuthorizationReport {
        let problem = await InteractionPolicy.knowing(known) { () -> CaptureError? in
            do throws(CaptureError) {
                try await capability.authorize(in: context.gatekeeper)
                return nil
            } catch {
                return error
            }
        }
        let report = await capability.comparedReport(in: context.gatekeeper)
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

/// Reports the availability and status of a capability. Never asks.
///
/// *thread-safe*
public struct GetAuthorizationStatus<Capable: CapabilityType>: GateOperation, ConditionedOperation {
    public let capability: Capable
    public var conditions: [any OperationCondition] = []
    public var observers: [any OperationObserver] = []
    private let completion: @Sendable (Availability, AuthorizationStatus) -> Void

    /// - Parameters:
    ///   - capability: the capability whose status is read.
    ///   - completion: called once, in the operation's task.
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
        let report = await InteractionPolicy.silently { await capability.comparedReport(in: context.gatekeeper) }
        completion(report.availability, report.status)
        return report
    }
}
