import CaptureBase

/// Makes the processes of one person ask one after another, so that the answer to one settles the same question of all.
///
/// *thread-safe*
public protocol QuestionTurns: Sendable {
    /// Waits until no other process asks for this subject. Cancelling the task ends the wait with `.cancelled`.
    func take(for subject: Subject) async throws(CaptureError) -> any QuestionTurn
}

/// The turn ends when it is released.
public protocol QuestionTurn: AnyObject, Sendable {}
