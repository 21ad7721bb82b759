import Gate

/// Answers as a test says, and remembers what it was asked.
final class ScriptedPrompter: Prompter {
    typealias Reply = @Sendable (Question) async -> Answer

    private struct State {
        var questions: [Question] = []
        var reply: Reply
        var obstacle: CaptureError?
        var open = 0
        var mostOpen = 0
        var confirmations: [Confirmation] = []
        var confirmation = ConfirmationAnswer.dismissed
    }

    let name = "script"
    /// Rises with each question that is put.
    let asked = Signal()
    private let state: Locked<State>

    init(_ reply: @escaping Reply) {
        state = Locked(State(reply: reply))
    }

    var questions: [Question] { state.withLock { $0.questions } }
    /// How many questions were open at one time, at most.
    var mostOpen: Int { state.withLock { $0.mostOpen } }

    func reply(_ reply: @escaping Reply) { state.withLock { $0.reply = reply } }
    func reply(_ answer: Answer) { reply { _ in answer } }
    func block(_ obstacle: CaptureError?) { state.withLock { $0.obstacle = obstacle } }

    var confirmations: [Confirmation] { state.withLock { $0.confirmations } }
    func confirm(with answer: ConfirmationAnswer) { state.withLock { $0.confirmation = answer } }

    func confirm(_ confirmation: Confirmation) async -> ConfirmationAnswer {
        state.withLock { state in
            state.confirmations.append(confirmation)
            state.open += 1
            state.mostOpen = max(state.mostOpen, state.open)
        }
        await Task.yield()
        return state.withLock { state in
            state.open -= 1
            return state.confirmation
        }
    }

    func obstacle() async -> CaptureError? { state.withLock { $0.obstacle } }

    func ask(_ question: Question) async -> Answer {
        let reply = state.withLock { state in
            state.questions.append(question)
            state.open += 1
            state.mostOpen = max(state.mostOpen, state.open)
            return state.reply
        }
        asked.raise()
        let answer = await reply(question)
        state.withLock { $0.open -= 1 }
        return answer
    }
}
