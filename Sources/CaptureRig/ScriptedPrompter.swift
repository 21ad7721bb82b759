import CaptureGate
import Synchronization

/// A prompter without a person: gives the answers it was made with, one a question, and keeps what was asked.
///
/// Once the answers are used up it fails, so that a question too many shows.
///
/// *thread-safe*
public final class ScriptedPrompter: Prompter {
    private struct State {
        var answers: ArraySlice<Answer>
        var asked: [Question] = []
    }

    private let state: Mutex<State>

    public var name: String { "scripted" }

    public init(_ answers: [Answer]) {
        state = Mutex(State(answers: answers[...]))
    }

    /// The questions so far, the first one first.
    public var asked: [Question] { state.withLock { $0.asked } }

    public func obstacle() async -> CaptureError? { nil }

    public func ask(_ question: Question) async -> Answer {
        state.withLock { state in
            state.asked.append(question)
            return state.answers.popFirst()
                ?? .failed(CaptureError(.unavailable, "The script has no answer to question \(state.asked.count)."))
        }
    }
}
