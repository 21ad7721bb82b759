import CaptureGate

/// A prompter without a person: answers from a script, and keeps what was asked.
///
/// A list of answers is used up, one a question; a question too many then fails, so that it shows. A closure answers
/// every question, and may wait before it does, as a person would.
///
/// *thread-safe*
public final class ScriptedPrompter: Prompter {
    /// An answer to a question, given when the person is done with thinking.
    public typealias Reply = @Sendable (Question) async -> Answer

    private struct State {
        var answers: ArraySlice<Answer>
        /// Asked where `answers` is empty; `nil` makes such a question fail.
        var reply: Reply?
        var obstacle: CaptureError?
        var questions: [Question] = []
        var confirmationAnswers: ArraySlice<ConfirmationAnswer>
        /// Given where `confirmationAnswers` is empty; `nil` makes such a confirmation fail.
        var confirmation: ConfirmationAnswer?
        var confirmations: [Confirmation] = []
        var open = 0
        var mostOpen = 0

        mutating func begin() {
            open += 1
            mostOpen = max(mostOpen, open)
        }
    }

    private let state: Locked<State>
    /// Raised by each question that is put.
    package let asked = Signal()

    public let name: String

    /// Answers from lists, the first answer to the first question.
    ///
    /// - Parameters:
    ///   - answers: to the questions about devices.
    ///   - confirmations: the answers to the confirmations.
    public init(_ answers: [Answer], confirmations: [ConfirmationAnswer] = []) {
        name = "scripted"
        state = Locked(State(answers: answers[...], confirmationAnswers: confirmations[...]))
    }

    /// Answers every question by a closure, and dismisses confirmations unless told otherwise.
    ///
    /// - Parameter reply: called once a question, on the task that asks.
    public init(_ reply: @escaping Reply) {
        name = "scripted"
        state = Locked(State(answers: [], reply: reply, confirmationAnswers: [], confirmation: .dismissed))
    }

    /// The questions so far, the first one first.
    public var questions: [Question] { state.withLock { $0.questions } }

    /// The confirmations so far, the first one first.
    public var confirmations: [Confirmation] { state.withLock { $0.confirmations } }

    /// The most questions and confirmations that were open at one time.
    public var mostOpen: Int { state.withLock { $0.mostOpen } }

    /// Has the questions to come, those beyond the list of answers, answered by a closure.
    public func reply(_ reply: @escaping Reply) { state.withLock { $0.reply = reply } }

    /// Has the questions to come, those beyond the list of answers, answered alike.
    public func reply(_ answer: Answer) { reply { _ in answer } }

    /// Has the confirmations to come, those beyond the list of answers, answered alike.
    public func confirm(with answer: ConfirmationAnswer) { state.withLock { $0.confirmation = answer } }

    /// Sets why nobody can be asked at present; `nil` where somebody can.
    public func block(_ obstacle: CaptureError?) { state.withLock { $0.obstacle = obstacle } }

    public func obstacle() async -> CaptureError? { state.withLock { $0.obstacle } }

    public func ask(_ question: Question) async -> Answer {
        let (number, answer, reply) = state.withLock { state in
            state.begin()
            state.questions.append(question)
            return (state.questions.count, state.answers.popFirst(), state.reply)
        }
        // Before the answer, which a test may hold back until it has seen that somebody was asked.
        asked.raise()
        defer { state.withLock { $0.open -= 1 } }
        if let answer { return answer }
        return await reply?(question) ?? .failed(Self.exhausted("question \(number)"))
    }

    public func confirm(_ confirmation: Confirmation) async -> ConfirmationAnswer {
        state.withLock { state in
            state.begin()
            state.confirmations.append(confirmation)
        }
        // A prompter that answers without a pause would hide confirmations that overlap.
        await Task.yield()
        return state.withLock { state in
            state.open -= 1
            return state.confirmationAnswers.popFirst() ?? state.confirmation
                ?? .failed(Self.exhausted("confirmation \(state.confirmations.count)"))
        }
    }

    private static func exhausted(_ what: String) -> CaptureError {
        CaptureError(.unavailable, "The script has no answer to \(what).")
    }
}
