import CaptureBase

/// Satisfied if a capability is there and allowed at the required level; asks a person first, if asking can help.
///
/// It asks where nothing is decided, or where the granted level is too low and can be raised. Denied and restricted
/// never ask again, and an absent device is not asked for.
///
/// *thread-safe*
public struct AuthorizedFor<Capable: CapabilityType>: OperationCondition {
    public let capability: Capable
    public let exclusions: Set<String>
    private let questionCategory: String?

    /// - Parameters:
    ///   - capability: the capability that must be allowed.
    ///   - category: category of mutual exclusion of the operation that has this condition, as `MutuallyExclusive` has
    ///     one; `nil` for none. It is taken after the question: nobody waits for it behind a person.
    ///   - questionCategory: category of the question, as `Authorize` has one: nothing of that category executes while the
    ///     person is asked. Questions are put one after another in any case: those about devices by the gatekeeper, and
    ///     those of a capability of one's own in the category `Authorize(name)`, with the capability's name.
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
    /// Proof of a yes. Only this file makes one, so no other operation's answer can pass for it.
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

    /// - Parameters:
    ///   - capability: the capability to ask for.
    ///   - category: category of mutual exclusion: nothing of it executes while this asks. `nil` for none but that of a
    ///     capability of one's own, `Authorize(name)`: whoever comes second is asked only if the first answer leaves it open.
    ///   - completion: called once, in the operation's task, with the status as read from the store after the answer was
    ///     stored there; never with the answer itself.
    public init(
        _ capability: Capable, category: String? = nil,
        completion: @escaping @Sendable (Availability, AuthorizationStatus) -> Void = { _, _ in }
    ) {
        self.init(capability, category, nil, completion)
    }

    /// - Parameter report: the report by which asking can help: the store is not read again before the question's turn.
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
