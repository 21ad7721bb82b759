import Glibc
import Testing

@Suite("questions at a terminal", .fewAtOnce)
struct QuestionTests {
    /// A recording that asks, and the terminal it asks at.
    private struct Asking {
        let workspace: Workspace
        let terminal: PseudoTerminal
        let recording: ChildProcess

        init() async throws {
            workspace = try Workspace()
            terminal = try PseudoTerminal()
            recording = try workspace.start(
                "record", "a.wav", "--microphone", "test:tone", "--for", "300ms", terminal: terminal)
            try await terminal.wait(for: "decide later: ")
        }

        func answer(_ keys: String) async throws -> Ending {
            terminal.type(keys)
            return try await recording.finish()
        }

        func decisions() async throws -> [Document] {
            try Document(try await workspace.capturegate("status", "--json").output)["decisions"].elements
        }

        var hasFile: Bool { workspace.names.contains { $0.hasPrefix("a.wav") } }
    }

    @Test("it says who asks for what, and what for")
    func text() async throws {
        let asking = try await Asking()
        #expect(asking.terminal.screen.contains("/capturegate wants to use"))
        #expect(asking.terminal.screen.contains("test:tone"))
        #expect(asking.terminal.screen.contains("a.wav"))
        #expect(try await asking.answer("\u{3}").code == 77)
    }

    @Test("no is stored, and not asked about again")
    func no() async throws {
        let asking = try await Asking()
        #expect(try await asking.answer("n\n").code == 77)
        #expect(!asking.hasFile)
        let decisions = try await asking.decisions()
        #expect(decisions.map { $0["verdict"] } == [.string("deny")])
        let again = try await asking.workspace.capturegate("record", "a.wav", "--microphone", "test:tone")
        #expect(again.code == 77)
        #expect(again.errors.contains("denied on"))
    }

    @Test(
        "a grant that a no goes before takes it back with --lift, or where a person says so at a terminal",
        arguments: [(["--lift"], nil, 1), ([], "y\n", 1), ([], "\n", 2)] as [([String], String?, Int)])
    func lifted(options: [String], answer: String?, left: Int) async throws {
        let asking = try await Asking()
        #expect(try await asking.answer("n\n").code == 77)
        let words = ["grant", "microphone", "--always"] + options
        if let answer {
            let terminal = try PseudoTerminal()
            let grant = try ChildProcess(
                [Executable.capturegate] + words, in: asking.workspace, terminal: terminal.path)
            try await terminal.wait(for: "Remove the denial? [y/N]", answering: answer)
            let ending = try await grant.finish()
            #expect(ending.code == 0 && ending.errors.contains(left == 1 ? "Removed the denial" : "capturegate revoke"))
        } else {
            #expect(try await asking.workspace.capturegate(words).errors.contains("Removed the denial"))
        }
        #expect(try await asking.decisions().count == left)
        let again = try await asking.workspace.capturegate(
            ["record", "b.wav", "--microphone", "test:tone", "--for", "100ms"])
        #expect(again.code == (left == 1 ? 0 : 77), "\(again)")
    }

    @Test("once records, and leaves nothing for the next time")
    func once() async throws {
        let asking = try await Asking()
        #expect(try await asking.answer("o\n").code == 0)
        #expect(asking.workspace.names.contains("a.wav"))
        #expect(try await asking.decisions().isEmpty)
    }

    @Test("always records and is stored for this device")
    func always() async throws {
        let asking = try await Asking()
        #expect(try await asking.answer("a\n").code == 0)
        let decisions = try await asking.decisions()
        #expect(decisions.map { $0["lifetime"] } == [.string("always")])
        #expect(decisions.map { $0["device"] } == [.string("test:tone")])
    }

    @Test("Enter, Ctrl-C and Ctrl-D turn away: nothing is stored", arguments: ["\n", "\u{3}", "\u{4}"])
    func dismissed(keys: String) async throws {
        let asking = try await Asking()
        let ending = try await asking.answer(keys)
        #expect(ending.code == 77)
        #expect(!asking.hasFile)
        #expect(try await asking.decisions().isEmpty)
    }

    @Test("a signal withdraws the question", arguments: [SIGINT, SIGTERM, SIGHUP])
    func withdrawn(signal: Int32) async throws {
        let asking = try await Asking()
        asking.recording.send(signal)
        let ending = try await asking.recording.finish()
        #expect(ending.code == 77)
        #expect(!asking.hasFile)
        #expect(try await asking.decisions().isEmpty)
    }

    @Test("standard input answers nothing")
    func standardInput() async throws {
        let workspace = try Workspace()
        let command = "yes a | '\(Executable.capturegate)' record a.wav --microphone test:tone --for 300ms"
        #expect(try await workspace.run(["sh", "-c", command]).code == 77)
    }
}
