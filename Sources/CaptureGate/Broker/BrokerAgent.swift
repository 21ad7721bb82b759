import Gate
import LinuxSystem

/// Puts the broker's questions to the person of this session, by a prompter of this library.
///
/// One question at a time, as the broker sends them. A question that the broker withdraws is dismissed, and a dismissed
/// one stores nothing.
///
/// *thread-safe*
package final class BrokerAgent: Sendable {
    /// Something that an agent did.
    package enum Event: Sendable {
        case connected
        case asked(AgentQuestion)
        case answered(UInt32, QuestionEnd)
        case withdrawn(UInt32)
        /// The broker has gone, or refuses this agent. It is looked for again.
        case lost(CaptureError)
    }

    private struct State {
        /// Questions that are being asked.
        var tasks: [UInt32: Task<Void, Never>] = [:]
    }

    private let path: String
    private let user: UInt32
    private let prompter: any Prompter
    private let onEvent: @Sendable (Event) -> Void
    private let state = Locked(State())

    /// - Parameters:
    ///   - path: of the broker's socket.
    ///   - user: that the broker must run as.
    ///   - prompter: asks the person.
    ///   - onEvent: is told what happens, on any thread.
    package init(
        at path: String = BrokerLink.socket, of user: UInt32 = 0, asking prompter: any Prompter,
        onEvent: @escaping @Sendable (Event) -> Void = { _ in }
    ) {
        self.path = path
        self.user = user
        self.prompter = prompter
        self.onEvent = onEvent
    }

    /// Answers until the task is cancelled; a broker that goes is waited for.
    ///
    /// - Parameter pause: time between two attempts to connect.
    /// - Throws: the refusal of a broker that does not let this program be an agent.
    package func run(retryingAfter pause: Duration = .seconds(2)) async throws(CaptureError) {
        while !Task.isCancelled {
            do throws(CaptureError) {
                try await serve()
            } catch {
                if error.kind == .notAuthorized { throw error }
                onEvent(.lost(error))
            }
            // Cancelled meanwhile: the loop sees it.
            try? await Task.sleep(for: pause)
        }
    }

    /// Runs a body, and answers here what the broker asks meanwhile, where it lets this program ask.
    ///
    /// - Parameters:
    ///   - link: of the body, whose broker is meant.
    ///   - prompter: asks the person; where it can't, this program becomes no agent.
    package static func serving<Value: Sendable>(
        _ link: BrokerLink, asking prompter: any Prompter, _ body: @Sendable () async -> Value
    ) async -> Value {
        guard await prompter.obstacle() == nil else { return await body() }
        let (signals, signal) = AsyncStream.makeStream(of: Void.self)
        let agent = BrokerAgent(at: link.path, of: link.user, asking: prompter) { event in
            switch event {
            case .connected, .lost: signal.yield()
            case .asked, .answered, .withdrawn: break
            }
        }
        let task = Task {
            // A refusal: another agent is asked, or nobody.
            try? await agent.run()
            signal.finish()
        }
        defer { task.cancel() }
        for await _ in signals { break }
        return await body()
    }

    /// Serves one connection until it ends.
    private func serve() async throws(CaptureError) {
        let (events, continuation) = AsyncStream.makeStream(of: BrokerEvent?.self)
        let link = BrokerLink(at: path, of: user, as: .agent) { continuation.yield($0) }
        defer {
            for task in state.withLock({ Array($0.tasks.values) }) { task.cancel() }
        }
        _ = try await link.call(.decisions(DecisionQuery()))
        onEvent(.connected)
        for await event in events {
            guard let event else { throw .brokerGone() }
            switch event {
            case .question(let question): ask(question, by: link)
            case .withdrawn(let number): withdraw(number)
            case .ended, .changed, .gone: break
            }
        }
    }

    private func withdraw(_ number: UInt32) {
        guard let task = state.withLock({ $0.tasks[number] }) else { return }
        onEvent(.withdrawn(number))
        task.cancel()
    }

    /// Asks, and sends the answer when there is one.
    private func ask(_ question: AgentQuestion, by link: BrokerLink) {
        onEvent(.asked(question))
        state.withLock { state in
            state.tasks[question.number] = Task {
                let end = await self.answer(to: question)
                self.state.withLock { _ = $0.tasks.removeValue(forKey: question.number) }
                self.onEvent(.answered(question.number, end))
                link.send(.answer(AgentAnswer(to: question.number, end, by: self.prompter.name)))
            }
        }
    }

    /// Puts a question to the person.
    private func answer(to question: AgentQuestion) async -> QuestionEnd {
        if let obstacle = await prompter.obstacle() { return .failed(BrokerFailure(obstacle)) }
        let end =
            switch question.content {
            case .devices(let question): QuestionEnd(await prompter.ask(question))
            case .confirmation(let confirmation): QuestionEnd(await prompter.confirm(confirmation))
            }
        // Nobody waits for it any more: whatever was pressed is nobody's answer.
        return Task.isCancelled ? .dismissed : end
    }
}
