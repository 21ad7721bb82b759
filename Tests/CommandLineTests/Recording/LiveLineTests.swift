import Testing

@Suite("the live line", .fewAtOnce)
struct LiveViewTests {
    /// A recording whose standard error is a terminal.
    private func record(_ variables: String = "") async throws -> (screen: String, ending: Ending) {
        let workspace = try Workspace()
        _ = try await workspace.capturegate("grant", "microphone", "--always")
        let terminal = try PseudoTerminal()
        // The line comes ten times a second, if the machine does not stop: in three seconds it has come once.
        let line = "record null: --microphone test:tone --for 3s"
        let child = try ChildProcess(
            ["sh", "-c", "\(variables) '\(Executable.capturegate)' \(line) 2>/dev/tty"], in: workspace,
            terminal: terminal.path)
        try await terminal.wait(for: "dBFS")
        return (terminal.screen, try await child.finish())
    }

    @Test("a terminal gets one line that is drawn again, and the result goes to standard output")
    func terminal() async throws {
        let (screen, ending) = try await record()
        #expect(ending.code == 0)
        #expect(screen.contains("\r\u{1B}[K"))
        #expect(screen.contains("\u{1B}[31m"))
        #expect(ending.output.contains("144000 samples"))
        #expect(!ending.output.contains("dBFS"))
    }

    @Test("the bytes of a file are not written to a terminal", arguments: ["record -", "snapshot - --format png"])
    func binary(command: String) async throws {
        let workspace = try Workspace()
        let terminal = try PseudoTerminal()
        let child = try ChildProcess(
            ["sh", "-c", "'\(Executable.capturegate)' \(command) >/dev/tty"], in: workspace, terminal: terminal.path)
        let ending = try await child.finish()
        #expect(ending.code == 64)
        #expect(ending.errors.contains("Standard output is a terminal"))
        #expect(terminal.everything.isEmpty)
    }

    @Test("NO_COLOR takes the colours out")
    func colours() async throws {
        let (screen, ending) = try await record("NO_COLOR=1")
        #expect(ending.code == 0)
        #expect(screen.contains("\r\u{1B}[K"))
        #expect(!screen.contains("\u{1B}[3"))
    }
}
