import CaptureBase

/// Asks a person: a terminal, a dialog of the desktop, a script.
///
/// *thread-safe*
public protocol Prompter: Sendable {
    /// Name in the audit log, such as `terminal`.
    var name: String { get }

    /// Error that says why nobody can be asked now, and what to do; `nil` if somebody can.
    func obstacle() async -> CaptureError?

    /// Asks, and waits for the answer. Cancelling the task dismisses the question.
    func ask(_ question: Question) async -> Answer

    /// Asks yes or no about something else. Has a default, which can't. Cancelling the task dismisses the question.
    func confirm(_ confirmation: ConfirmationRequest) async -> ConfirmationAnswer
}

/// Question to a person: one for all the devices of an operation.
///
/// *thread-safe*
public struct Question: Hashable, Sendable {
    /// One device of the question.
    public struct Item: Hashable, Sendable {
        /// Request of the operation. The answer is stored for `request.device`. If that is `.any`, the permission is for
        /// every device of the capability, and the question must say so.
        public let request: DeviceRequest
        /// The device it means now.
        public let device: DeviceDescription

        public init(request: DeviceRequest, device: DeviceDescription) {
            self.request = request
            self.device = device
        }
    }

    public let subject: Subject
    public let items: [Item]
    /// The choices to offer, the safest first.
    public let lifetimes: [Lifetime]
    /// A grant to the same path whose executable has changed since.
    public let previous: Grant?

    public init(subject: Subject, items: [Item], lifetimes: [Lifetime], previous: Grant? = nil) {
        self.subject = subject
        self.items = items
        self.lifetimes = lifetimes
        self.previous = previous
    }
}

/// End of a question.
public enum Answer: Hashable, Sendable {
    case allow(Lifetime)
    case deny
    /// The person turned away, or the operation was cancelled. Nothing is stored, and it is not a denial.
    case dismissed
    /// The prompter's own deadline passed. Nothing is stored.
    case timedOut
    /// The prompter could not ask. Nothing is stored.
    case failed(CaptureError)
}

/// A question to be answered with yes or no, and not about a device.
///
/// *thread-safe*
public struct ConfirmationRequest: Hashable, Sendable {
    /// One line, such as "Overwrite the clip?".
    public let title: String
    /// Consequence of a confirmation.
    public let message: String
    /// The word on the button that agrees.
    public let agreement: String

    public init(_ title: String, message: String = "", agreement: String = "Yes") {
        self.title = title
        self.message = message
        self.agreement = agreement
    }
}

/// End of a confirmation.
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
    public func confirm(_ confirmation: ConfirmationRequest) async -> ConfirmationAnswer {
        .failed(CaptureError(.unavailable, "The prompter \(name) does not support confirmations."))
    }
}

/// Makes the processes of one person ask one after another, so that the answer to one settles the same question of all.
///
/// *thread-safe*
public protocol PromptLock: Sendable {
    /// Waits until no other process asks for this subject. Cancelling the task ends the wait with `.cancelled`.
    func take(for subject: Subject) async throws(CaptureError) -> any PromptLockToken
}

/// Held prompt lock: released with its last reference.
public protocol PromptLockToken: AnyObject, Sendable {}
