import CaptureGate

/// A prompter without a person: gives the answers it was made with, one a question, and keeps what was asked.
///
/// Once the answers are used up it fails, so that a question too many shows.
///
/// *thread-safe*
public final class ScriptedPrompter: Prompter {
    private struct State {
        var answers: ArraySlice<Answer>
        var asked: [Question] = []
        var confirmations: ArraySlice<ConfirmationAnswer>
        var confirmed: [Confirmation] = []
    }

    private let state: Locked<State>

    public var name: String { "scripted" }

    /// - Parameters:
    ///   - answers: to the questions about devices, the first one first.
    ///   - confirmations: the answers to the confirmations.
    public init(_ answers: [Answer], confirmations: [ConfirmationAnswer] = []) {
        state = Locked(State(answers: answers[...], confirmations: confirmations[...]))
    }

    /// The questions so far, the first one first.
    public var asked: [Question] { state.withLock { $0.asked } }

    /// The confirmations so far, the first one first.
    public var confirmed: [Confirmation] { state.withLock { $0.confirmed } }

    public func obstacle() async -> CaptureError? { nil }

    public func ask(_ question: Question) async -> Answer {
        state.withLock { state in
            state.asked.append(question)
            return state.answers.popFirst()
                ?? .failed(CaptureError(.unavailable, "The script has no answer to question \(state.asked.count)."))
        }
    }

    public func confirm(_ confirmation: Confirmation) async -> ConfirmationAnswer {
        state.withLock { state in
            state.confirmed.append(confirmation)
            let count = state.confirmed.count
            return state.confirmations.popFirst()
                ?? .failed(CaptureError(.unavailable, "The script has no answer to confirmation \(count)."))
        }
    }
}
