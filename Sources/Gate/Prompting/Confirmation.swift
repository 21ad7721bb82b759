import CaptureBase

/// A yes-or-no question about something else than a device.
///
/// *thread-safe*
public struct Confirmation: Hashable, Sendable {
    /// One line, such as "Overwrite the clip?".
    public let title: String
    /// What follows from a yes.
    public let message: String
    /// The word on the button that agrees.
    public let agreement: String

    public init(_ title: String, message: String = "", agreement: String = "Yes") {
        self.title = title
        self.message = message
        self.agreement = agreement
    }
}

/// How a confirmation ended.
public enum ConfirmationAnswer: Hashable, Sendable {
    case yes
    case no
    /// The person turned away, or the operation was cancelled.
    case dismissed
    /// The prompter's own deadline passed.
    case timedOut
    /// The prompter could not ask.
    case failed(CaptureError)
}

extension Prompter {
    public func confirm(_ confirmation: Confirmation) async -> ConfirmationAnswer {
        .failed(CaptureError(.unavailable, "The prompter \(name) can't ask for a confirmation."))
    }
}
