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

    /// Connection to the broker; made with the first request. It may read the decisions of all of this user's programs.
    package let link: BrokerLink
    private let prompter: any Prompter
    private let onEvent: @Sendable (Event) -> Void
    /// The broker's, in their order; `nil` for the end of a connection.
    private let events: AsyncStream<BrokerEvent?>
    private let state = Locked(State())

    /// - Parameters:
    ///   - path: path of the broker's socket.
    ///   - user: user that the broker must run as.
    ///   - prompter: asks the person.
    ///   - onEvent: called for each event, on any thread.
    package init(
        at path: String = BrokerLink.socket, of user: UInt32 = 0, asking prompter: any Prompter,
        onEvent: @escaping @Sendable (Event) -> Void = { _ in }
    ) {
        let (events, continuation) = AsyncStream.makeStream(of: BrokerEvent?.self)
        link = BrokerLink(at: path, of: user, as: .agent) { continuation.yield($0) }
        self.events = events
        self.prompter = prompter
        self.onEvent = onEvent
    }

    /// Answers until the task is cancelled; a broker that goes is waited for.
    ///
    /// - Parameter pause: time between two attempts to connect.
    /// - Throws: the refusal of a broker that does not let this program be an agent.
    package func run(retryingAfter pause: Duration = .seconds(2)) async throws(CaptureError) {
        var events = events.makeAsyncIterator()
        while !Task.isCancelled {
            do throws(CaptureError) {
                // Connects, which makes it an agent.
                _ = try await link.call(.decisions(DecisionQuery()))
                onEvent(.connected)
                while let event = await events.next(), let event { serve(event) }
                if Task.isCancelled { break }
                throw .brokerGone()
            } catch {
                dismissAll()
                if error.kind == .notAuthorized { throw error }
                onEvent(.lost(error))
            }
            // Cancelled meanwhile: the loop sees it.
            try? await Task.sleep(for: pause)
        }
        dismissAll()
    }

    /// Ends all questions that nobody waits for any more.
    private func dismissAll() {
        for task in state.withLock({ Array($0.tasks.values) }) { task.cancel() }
    }

    /// Does what an event says.
    private func serve(_ event: BrokerEvent) {
        switch event {
        case .question(let question): ask(question, by: link)
        case .withdrawn(let number): withdraw(number)
        case .ended, .changed, .gone: break
        }
    }

    /// Runs a body, and meanwhile answers the broker's questions here, if the broker lets this program ask.
    ///
    /// - Parameters:
    ///   - link: connection of the body, to the same broker.
    ///   - prompter: asks the person; if it can't, this program does not become an agent.
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
            // If it is refused, another agent is asked, or nobody.
            try? await agent.run()
            signal.finish()
        }
        defer { task.cancel() }
        for await _ in signals { break }
        return await body()
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
