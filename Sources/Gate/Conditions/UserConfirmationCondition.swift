import CaptureBase

/// Satisfied where a person says yes, when the operation is about to begin.
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
    /// The proof of a yes.
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
