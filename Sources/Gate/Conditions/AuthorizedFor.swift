import CaptureBase

/// Satisfied if a capability is there and allowed at the required level; asks a person first, if asking can help.
///
/// It asks where nothing is decided, or where the granted level is too low and can be raised. Denied and restricted
/// never ask again, and an absent device is not asked for.
///
/// *thread-safe*
public struct AuthorizedFor<Capable: CapabilityType>: OperationCondition {
    public let capability: Capable

    public init(_ capability: Capable) {
        self.capability = capability
    }

    public var name: String { "AuthorizedFor(\(capability.name))" }

    /// Asks only if an answer can change the outcome. The report is read again afterwards: the stored answer decides,
    /// not the prompter's.
    public func dependency(in context: OperationContext) async -> (any GateOperation)? {
        let report = await capability.report(in: context.gatekeeper)
        return report.isAskable ? Authorize(capability, after: report) : nil
    }

    public func evaluate(in context: OperationContext) async -> ConditionResult {
        let answer = Authorize<Capable>.report(in: context, on: capability)
        let refusal = if let answer { answer.refusal } else { await capability.report(in: context.gatekeeper).refusal }
        return refusal.map { .failed($0) } ?? .satisfied
    }
}

/// Satisfied if a person says yes, when the operation is about to begin.
///
/// The answer is for this one evaluation: nothing is stored.
///
/// *thread-safe*
public struct UserConfirmationCondition: OperationCondition {
    public let confirmation: Confirmation

    public init(_ confirmation: Confirmation) {
        self.confirmation = confirmation
    }

    public init(_ title: String, message: String = "", agreement: String = "Yes") {
        confirmation = Confirmation(title, message: message, agreement: agreement)
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

    let confirmation: Confirmation
    var name: String { "Confirm(\(confirmation.title))" }

    init(_ confirmation: Confirmation) {
        self.confirmation = confirmation
    }

    func execute(in context: OperationContext) async throws(CaptureError) -> Given {
        try await context.gatekeeper.confirm(confirmation)
        return Given()
    }
}
