import Testing

@testable import CaptureGate

@Suite("Terminal prompter")
struct TerminalPrompterTests {
    private let terminal: PseudoTerminal
    private let question: Question

    init() throws {
        terminal = try PseudoTerminal()
        question = Questions.one()
    }

    private func prompter(deadline: Duration = .seconds(60), pause: Duration = .milliseconds(1)) -> TerminalPrompter {
        TerminalPrompter(deadline: deadline, path: terminal.path, pause: pause)
    }

    /// Asks, types when the question can be answered, and gives the answer.
    private func answer(to keys: String) async throws -> Answer {
        async let answer = prompter().ask(question)
        try await terminal.wait(for: "decide later: ")
        #expect(!terminal.isAsAtFirst)
        terminal.type(keys)
        return await answer
    }

    @Test(
        "A key and Enter is the answer, and the terminal is as it was",
        arguments: [
            ("n\r", Answer.deny), ("o\r", .allow(.once)), ("a\n", .allow(.always)), ("once\r", .allow(.once)),
            ("x\u{7F}o\r", .allow(.once)), ("al\u{15}o\r", .allow(.once)), ("al\u{17}n\r", .deny),
            ("\u{8}\u{7F}no\r", .deny), ("\u{1B}[A\u{1B}OPo\r", .allow(.once)),
            ("what\ro\r", .allow(.once)), ("this session\rsession\r", .allow(.session(Questions.session))),
            (String(repeating: "o", count: 40) + "\ro\r", .allow(.once)),
        ])
    func keys(keys: String, expected: Answer) async throws {
        #expect(try await answer(to: keys) == expected)
        #expect(terminal.isAsAtFirst)
    }

    @Test(
        "Enter, Ctrl-C, Ctrl-D and Escape turn away, whatever stands on the line",
        arguments: ["\r", "\u{3}", "\u{4}", "\u{1B}", "o\u{3}", "o\u{4}", "o\u{1B}"])
    func turnedAway(keys: String) async throws {
        #expect(try await answer(to: keys) == .dismissed)
        #expect(terminal.isAsAtFirst)
    }

    @Test("What was typed before the question stood there grants nothing")
    func typedAhead() async throws {
        terminal.type("a\r")
        async let answer = prompter(pause: .seconds(3)).ask(question)
        try await terminal.wait(for: "wants to use", thenType: "a\ra\r")
        try await terminal.wait(for: "decide later: ")
        #expect(terminal.unread == 0)
        terminal.type("n\r")
        #expect(await answer == .deny)
    }

    @Test("The deadline ends the question, also while somebody types")
    func deadline() async throws {
        async let answer = prompter(deadline: .seconds(2)).ask(question)
        try await terminal.wait(for: "decide later: ")
        terminal.type("alway")
        #expect(await answer == .timedOut)
        #expect(terminal.isAsAtFirst)
    }

    @Test("A deadline beyond the clock's range is none, and one that has passed asks nothing")
    func extremes() async throws {
        async let answer = prompter(deadline: .seconds(Int64.max)).ask(question)
        try await terminal.wait(for: "decide later: ")
        terminal.type("n\r")
        #expect(await answer == .deny)
        #expect(await prompter(deadline: .seconds(Int64.min)).ask(question) == .timedOut)
    }

    @Test("A cancelled task takes its question away and puts the terminal back")
    func cancelled() async throws {
        let (prompter, question) = (prompter(), question)
        let task = Task { await prompter.ask(question) }
        try await terminal.wait(for: "decide later: ")
        terminal.type("o")
        task.cancel()
        #expect(await task.value == .dismissed)
        #expect(terminal.isAsAtFirst)
    }

    @Test("A task cancelled while the question settles is not asked on")
    func cancelledEarly() async throws {
        let (prompter, question) = (prompter(pause: .seconds(50)), question)
        let task = Task { await prompter.ask(question) }
        try await terminal.wait(for: "wants to use")
        task.cancel()
        #expect(await task.value == .dismissed)
        #expect(terminal.isAsAtFirst)
    }

    @Test("A terminal that is stopped holds up neither deadline nor cancellation")
    func stopped() async throws {
        terminal.type("\u{13}")
        #expect(await prompter(deadline: .milliseconds(100)).ask(question) == .timedOut)
        terminal.type("\u{11}")
    }

    @Test("A window that changes its size changes nothing of the answer")
    func resized() async throws {
        async let answer = prompter().ask(question)
        try await terminal.wait(for: "decide later: ")
        for columns in [200, 10, 1, 0, 80] as [UInt16] { terminal.resize(columns: columns) }
        terminal.type("onc")
        terminal.resize(columns: 3)
        terminal.type("e\r")
        #expect(await answer == .allow(.once))
    }

    @Test("Nothing on the screen comes from a name's control characters")
    func hostileNames() async throws {
        let hostile = Questions.one(device: "Cam\u{1B}[2J\u{1B}]0;x\u{7}\u{9B}2J\u{202E}\r\nAllow? a")
        async let answer = prompter().ask(hostile)
        try await terminal.wait(for: "decide later: ")
        terminal.type("\r")
        #expect(await answer == .dismissed)
        let allowed: Set<UInt32> = [0x0A, 0x0D]
        #expect(!terminal.screen.unicodeScalars.contains { $0.value < 0x20 && !allowed.contains($0.value) })
        #expect(!terminal.screen.unicodeScalars.contains { [0x9B, 0x202E].contains($0.value) })
        #expect(terminal.screen.contains("Cam\\u{1b}[2J"))
    }

    @Test(
        "A confirmation is a yes only after a yes",
        arguments: [
            ("y\r", ConfirmationAnswer.yes), ("YES\r", .yes), ("n\r", .no), ("\r", .dismissed),
            ("\u{3}", .dismissed),
        ])
    func confirmation(keys: String, expected: ConfirmationAnswer) async throws {
        async let answer = prompter().confirm(
            ConfirmationRequest("Overwrite the clip?\u{1B}[2J", message: "It is gone then.", agreement: "Overwrite"))
        try await terminal.wait(for: "decide later: ")
        #expect(terminal.screen.contains("It is gone then.") && terminal.screen.contains("[y]es (Overwrite)"))
        #expect(!terminal.screen.contains("\u{1B}"))
        terminal.type(keys)
        #expect(await answer == expected)
    }

    @Test("A path that is no terminal is a failure, not an answer", arguments: ["/dev/null", "/no/such/terminal"])
    func noTerminal(path: String) async {
        let prompter = TerminalPrompter(deadline: .seconds(1), path: path, pause: .zero)
        guard case .failed(let error) = await prompter.ask(question) else {
            Issue.record("it asked")
            return
        }
        #expect(error.kind == .unavailable && error.errno != 0)
        #expect(await prompter.obstacle() != nil)
    }

    @Test("A terminal that goes away is no answer")
    func hungUp() async throws {
        var other: PseudoTerminal? = try PseudoTerminal()
        let path = try #require(other?.path)
        let question = question
        let task = Task { await TerminalPrompter(deadline: .seconds(60), path: path, pause: .zero).ask(question) }
        try await other?.wait(for: "decide later: ")
        other = nil
        switch await task.value {
        case .dismissed, .failed: break
        case let answer: Issue.record("\(answer)")
        }
    }
}
