import CaptureGate
import Gate

/// Receiver of an agent's events: its connection.
protocol AgentLink: AnyObject, Sendable {
    func send(_ event: BrokerEvent)
}

/// Connected agents of all users, and their open questions: one per user at a time.
///
/// If an agent disconnects, or can't ask, its question goes to the agent that connected before it. If none exists, the question
/// ends dismissed, or with the reason: nothing is stored then, and it is not a denial.
///
/// *thread-safe*
final class Agents: Sendable {
    /// A question on its way.
    private struct Pending {
        let question: AgentQuestion
        let user: UInt32
        let agent: any AgentLink
        let done: CheckedContinuation<QuestionEnd, Never>
    }

    private struct State {
        /// The last one of a user is asked: it connected last.
        var agents: [UInt32: [any AgentLink]] = [:]
        var last: UInt32 = 0
        var pending: [UInt32: Pending] = [:]
    }

    private let state = Locked(State())
    private let turns = Turns()

    /// Makes a connection an agent of its user.
    func add(_ agent: any AgentLink, of user: UInt32) {
        state.withLock { $0.agents[user, default: []].append(agent) }
    }

    /// Forgets an agent, and asks another one what it was asked.
    func remove(_ agent: any AgentLink, of user: UInt32) {
        let left = state.withLock { state in
            state.agents[user]?.removeAll { $0 === agent }
            if state.agents[user]?.isEmpty == true { state.agents[user] = nil }
            let own = state.pending.filter { $0.value.agent === agent }
            for number in own.keys { state.pending[number] = nil }
            return Array(own.values)
        }
        for pending in left { put(pending.question, to: user, pending.done, otherwise: .dismissed) }
    }

    /// True if somebody could be asked.
    func hasAgent(of user: UInt32) -> Bool { state.withLock { $0.agents[user] != nil } }

    /// Has the user's agent ask, when it is this question's turn. A cancelled task withdraws it.
    func ask(_ user: UInt32, _ content: AgentQuestion.Content) async -> QuestionEnd {
        guard let turn = await turns.take(of: user) else { return .dismissed }
        defer { withExtendedLifetime(turn) {} }
        let number = state.withLock { state in
            // 0 is no number of a question.
            state.last = state.last == .max ? 1 : state.last + 1
            return state.last
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { done in
                put(AgentQuestion(number, content), to: user, done)
                // Cancelled before it was there to be withdrawn.
                if Task.isCancelled { withdraw(number) }
            }
        } onCancel: {
            withdraw(number)
        }
    }

    /// - Parameters:
    ///   - later: an agent that could not ask: one that connected before it is asked.
    ///   - end: called if there is no agent.
    private func put(
        _ question: AgentQuestion, to user: UInt32, _ done: CheckedContinuation<QuestionEnd, Never>,
        before later: (any AgentLink)? = nil, otherwise end: QuestionEnd = .failed(BrokerFailure(.noAgent))
    ) {
        let agent = state.withLock { state -> (any AgentLink)? in
            guard let agent = state.agents[user]?.prefix(while: { $0 !== later }).last else { return nil }
            state.pending[question.number] = Pending(question: question, user: user, agent: agent, done: done)
            return agent
        }
        guard let agent else { return done.resume(returning: end) }
        agent.send(.question(question))
    }

    private func withdraw(_ number: UInt32) {
        guard let pending = state.withLock({ $0.pending.removeValue(forKey: number) }) else { return }
        pending.agent.send(.withdrawn(number))
        pending.done.resume(returning: .dismissed)
    }

    /// Takes an answer, unless nobody waits for it any more, or another agent was asked.
    func answer(_ answer: AgentAnswer, by agent: any AgentLink) {
        let answered = state.withLock { state -> Pending? in
            guard let pending = state.pending[answer.number], pending.agent === agent else { return nil }
            state.pending[answer.number] = nil
            return pending
        }
        guard let answered else { return }
        if case .failed = answer.end {
            return put(answered.question, to: answered.user, answered.done, before: agent, otherwise: answer.end)
        }
        answered.done.resume(returning: answer.end)
    }
}

/// Asks a user through the agent that is connected.
///
/// *thread-safe*
struct AgentPrompter: PersonPrompter {
    private let agents: Agents
    private let user: UInt32

    init(_ agents: Agents, of user: UInt32) {
        self.agents = agents
        self.user = user
    }

    var name: String { "agent" }

    var asksPerson: Bool { true }

    func obstacle() async -> CaptureError? { agents.hasAgent(of: user) ? nil : .noAgent }

    func ask(_ question: Question) async -> Answer {
        switch await agents.ask(user, .devices(question)) {
        case .allow(let lifetime):
            // Only what the person was offered can have been chosen.
            guard question.lifetimes.contains(lifetime) else { return .failed(.wrongAnswer) }
            return .allow(lifetime)
        case .deny: return .deny
        case .dismissed: return .dismissed
        case .timedOut: return .timedOut
        case .failed(let failure): return .failed(failure.error)
        }
    }

    func confirm(_ confirmation: ConfirmationRequest) async -> ConfirmationAnswer {
        switch await agents.ask(user, .confirmation(confirmation)) {
        case .allow: .yes
        case .deny: .no
        case .dismissed: .dismissed
        case .timedOut: .timedOut
        case .failed(let failure): .failed(failure.error)
        }
    }
}

extension CaptureError {
    /// Refusal if nobody can be asked.
    static let noAgent = CaptureError(
        .notAuthorized, "No agent of this user is connected to the capture broker, so it can't ask.",
        remedies: [Remedy("Start the agent in the user's session.")])

    /// Refusal of an answer that was not offered.
    fileprivate static let wrongAnswer = CaptureError(
        .notAuthorized, "The agent gave an invalid answer.",
        remedies: [Remedy("Update CaptureGate, so that the agent and the broker have the same version.")])
}
