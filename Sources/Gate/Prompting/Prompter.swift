import CaptureBase

/// Asks a person.
///
/// *thread-safe*
public protocol Prompter: Sendable {
    /// The word for it in the audit log, such as `terminal`.
    var name: String { get }

    /// `nil` if a person can be asked now, else why not and what to do.
    func obstacle() async -> CaptureError?

    /// Asks, and waits for the answer. Cancelling the task dismisses the question.
    func ask(_ question: Question) async -> Answer

    /// Asks yes or no about something else. Has a default, which can't. Cancelling the task dismisses the question.
    func confirm(_ confirmation: Confirmation) async -> ConfirmationAnswer
}
