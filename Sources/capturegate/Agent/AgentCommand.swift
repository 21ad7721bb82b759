import ArgumentParser
import CaptureGate

/// `capturegate agent`: asks the person of this session on behalf of the machine's broker.
struct AgentCommand: AsyncParsableCommand, SignalHandlingCommand {
    static let configuration = CommandConfiguration(
        commandName: "agent",
        abstract: "Show the broker's questions in this session.",
        discussion: """
            The broker asks you through an agent in your session. This command is that agent until Ctrl-C. Normally, it starts \
            with the session.

              capturegate agent
              capturegate agent --program /usr/libexec/example-shell
              systemctl --user enable --now capturegate-agent

            If several agents run, the last one asks. Without an agent, the administrator's rules decide, and everything else is \
            denied. Commands such as 'capturegate record' are agents for their own question.

            A desktop that shows such questions itself is named by --program. It implements org.capturegate.Agent1 on the \
            session bus.

            With --json, each question and each answer is a line on standard output.
            """
    ).parsedAlone

    @Option(
        help: ArgumentHelp("Program that asks (default: a terminal or a dialog).", valueName: "path"),
        completion: .file())
    var program: String?

    @OptionGroup var json: JSONOption

    /// Asks until a signal arrives, which is a success.
    func run() async throws {
        guard BrokerLink.machine != nil else {
            throw CaptureError(
                .unavailable, "This machine has no capture broker, so an agent has nothing to do.",
                remedies: [Remedy("Set it up.", command: "sudo capturegate secure")])
        }
        let prompter: any Prompter = program.map { BusPrompter(program: $0) } ?? PrompterChain.system
        if let obstacle = await prompter.obstacle() { throw obstacle }
        let isJSON = json.isOn
        let agent = BrokerAgent(of: BrokerLink.machineUser, asking: prompter) { event in
            // If nobody reads the events, the agent continues to ask.
            try? Self.tell(event, isJSON)
        }
        let task = Task { try await agent.run() }
        let signals = SignalSubscription { _ in task.cancel() }
        defer { withExtendedLifetime(signals) {} }
        try await task.value
    }

    private static func tell(_ event: BrokerAgent.Event, _ json: Bool) throws {
        guard json else {
            switch event {
            case .connected: StandardStream.error.note("Answers the capture broker's questions, until Ctrl-C.")
            case .lost(let error): StandardStream.error.note("Note: \(error.message.visible)")
            case .asked, .answered, .withdrawn: break
            }
            return
        }
        try StandardStream.output.line(event.json.text)
    }
}

extension BrokerAgent.Event {
    /// Event for programs.
    fileprivate var json: JSONValue {
        switch self {
        case .connected: ["event": "connected"]
        case .asked(let question): ["event": "asked", "number": .count(question.number)]
        case .answered(let number, let end):
            ["event": "answered", "number": .count(number), "answer": .string(end.word)]
        case .withdrawn(let number): ["event": "withdrawn", "number": .count(number)]
        case .lost(let error): ["event": "lost", "reason": .string(error.message)]
        }
    }
}

extension QuestionEnd {
    /// End of a question in a word.
    fileprivate var word: String {
        switch self {
        case .allow: "allow"
        case .deny: "deny"
        case .dismissed: "dismissed"
        case .timedOut: "timed_out"
        case .failed: "failed"
        }
    }
}
