import Gate

/// A prompter without a person: answers from a script, and records the questions.
///
/// A list gives one answer per question; one question too many then fails, so that it shows. A closure answers every question,
/// and may wait before it does, as a person would.
///
/// *thread-safe*
public final class ScriptedPrompter: Prompter {
    /// An answer to a question, returned when the person has made up their mind.
    public typealias Reply = @Sendable (Question) async -> Answer

    private struct State {
        var answers: ArraySlice<Answer>
        /// Called when `answers` is empty; `nil` makes such a question fail.
        var reply: Reply?
        var obstacle: CaptureError?
        var questions: [Question] = []
        var confirmationAnswers: ArraySlice<ConfirmationAnswer>
        /// Used when `confirmationAnswers` is empty; `nil` makes such a confirmation fail.
        var confirmation: ConfirmationAnswer?
        var confirmations: [ConfirmationRequest] = []
        var open = 0
        var mostOpen = 0

        mutating func begin() {
            open += 1
            mostOpen = max(mostOpen, open)
        }
    }

    private let state: Locked<State>
    /// Raised by each question.
    package let asked = Signal()

    public let name: String

    /// Answers from lists, in order.
    ///
    /// - Parameters:
    ///   - answers: answers to questions about devices.
    ///   - confirmations: answers to confirmations.
    public init(_ answers: [Answer], confirmations: [ConfirmationAnswer] = []) {
        name = "scripted"
        state = Locked(State(answers: answers[...], confirmationAnswers: confirmations[...]))
    }

    /// Answers every question by a closure, and dismisses confirmations unless told otherwise.
    ///
    /// - Parameter reply: called once per question, on the task that asks.
    public init(_ reply: @escaping Reply) {
        name = "scripted"
        state = Locked(State(answers: [], reply: reply, confirmationAnswers: [], confirmation: .dismissed))
    }

    /// Allows the request until the login session of the program that asks ends: "this session".
    ///
    ///     let prompter = ScriptedPrompter(ScriptedPrompter.allowThisSession)
    public static let allowThisSession: Reply = { .allow(.session($0.subject.session)) }

    /// The questions so far, in order.
    public var questions: [Question] { state.withLock { $0.questions } }

    /// The confirmations so far, in order.
    public var confirmations: [ConfirmationRequest] { state.withLock { $0.confirmations } }

    /// Most questions and confirmations that were open at one time.
    public var mostOpen: Int { state.withLock { $0.mostOpen } }

    /// Answers all further questions, beyond the list of answers, by a closure.
    public func reply(_ reply: @escaping Reply) { state.withLock { $0.reply = reply } }

    /// Answers all further questions, beyond the list of answers, alike.
    public func reply(_ answer: Answer) { reply { _ in answer } }

    /// Answers all further confirmations, beyond the list of answers, alike.
    public func confirm(with answer: ConfirmationAnswer) { state.withLock { $0.confirmation = answer } }

    /// Sets the reason why nobody can be asked at present; `nil` if somebody can.
    public func block(_ obstacle: CaptureError?) { state.withLock { $0.obstacle = obstacle } }

    public func obstacle() async -> CaptureError? { state.withLock { $0.obstacle } }

    public func ask(_ question: Question) async -> Answer {
        let (number, answer, reply) = state.withLock { state in
            state.begin()
            state.questions.append(question)
            return (state.questions.count, state.answers.popFirst(), state.reply)
        }
        // Before the answer, which a test may delay until it has seen that the question was asked.
        asked.raise()
        defer { state.withLock { $0.open -= 1 } }
        if let answer { return answer }
        return await reply?(question) ?? .failed(Self.exhausted("question \(number)"))
    }

    public func confirm(_ confirmation: ConfirmationRequest) async -> ConfirmationAnswer {
        state.withLock { state in
            state.begin()
            state.confirmations.append(confirmation)
        }
        // A prompter that answers without a pause would hide overlapping confirmations.
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
