import Testing

@Suite("rig run at a terminal", .fewAtOnce)
struct RigViewTests {
    /// A run whose standard output and standard error are a terminal.
    private func screen(_ variables: String = "", columns: Int = 80) async throws -> String {
        let workspace = try await Workspace.bench()
        try workspace.plan(
            PlanStepText.rate, PlanStepText.failing.replacing("device", with: "label: dark, device"),
            "{check: sound.xruns, device: tone, for: 1 s}")
        let terminal = try PseudoTerminal()
        let script = "stty cols \(columns) </dev/tty; \(variables) '\(Executable.capturegate)' rig run plan.yaml"
        let child = try ChildProcess(
            ["sh", "-c", script + " >/dev/tty 2>/dev/tty"], in: workspace, terminal: terminal.path)
        try await terminal.wait(for: "Done in ")
        _ = try await child.finish()
        return terminal.everything
    }

    @Test("what runs stands in a row that is drawn again, with the time left; each result has its numbers and limits")
    func live() async throws {
        let screen = try await screen()
        #expect(screen.contains("\r\u{1B}[K"))
        #expect(screen.contains("sound.xruns.tone") && screen.contains("2 of 3") && screen.contains(" s left"))
        #expect(screen.contains("\u{1B}[32mPASS    \u{1B}[0m \u{1B}[1mcamera.rate.bars\u{1B}[0m"), "\(screen)")
        #expect(screen.contains("frame_rate_error") && screen.contains("≥ 1,000 Hz"))
        #expect(screen.contains("\u{1B}[31mFAIL\u{1B}[0m"))
    }

    @Test("in forty columns no row that is drawn again is wider")
    func narrow() async throws {
        let rows = try await screen(columns: 40).split(separator: "\u{1B}[K").dropFirst()
            .filter { $0.contains("* ") || $0.contains("*\u{1B}[0m ") }
        #expect(!rows.isEmpty)
        for row in rows { #expect(row.prefix { $0 != "\r" && $0 != "\n" }.count <= 40 + 8, "\(row)") }
    }

    @Test("NO_COLOR takes the colours out")
    func colours() async throws {
        let screen = try await screen("NO_COLOR=1")
        #expect(screen.contains("\r\u{1B}[K") && !screen.contains("\u{1B}[3") && !screen.contains("\u{1B}[1m"))
    }

    @Test("a dumb terminal gets lines alone")
    func dumb() async throws {
        #expect(try await !screen("TERM=dumb").contains("\u{1B}"))
    }
}
