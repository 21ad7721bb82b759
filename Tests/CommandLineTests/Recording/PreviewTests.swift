import Testing

@Suite("the preview", .fewAtOnce)
struct PreviewTests {
    /// A recording with a preview at a terminal that answers what it can.
    private func record(answering answer: String, showing mark: String, _ variables: String = "") async throws -> Ending
    {
        let workspace = try Workspace()
        _ = try await workspace.capturegate("grant", "camera", "--always")
        let terminal = try PseudoTerminal()
        let line = "record null: --camera test:bars --size 320x240 --fps 30 --for 1s --preview"
        let child = try ChildProcess(
            ["sh", "-c", "TERM=xterm \(variables) '\(Executable.capturegate)' \(line) 2>/dev/tty"], in: workspace,
            terminal: terminal.path)
        let question = "\u{1B}_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\u{1B}\\\u{1B}[c"
        try await terminal.wait(for: question, answering: answer)
        try await terminal.wait(for: mark)
        async let rest: Void = terminal.drain()
        let ending = try await child.finish()
        try await rest
        return ending
    }

    @Test("A terminal of 24-bit colours gets half blocks")
    func blocks() async throws {
        let mark = "\u{1B}[38;2;191;191;191;48;2;191;191;191m\u{2580}"
        #expect(try await record(answering: "\u{1B}[?1;2c", showing: mark, "COLORTERM=truecolor").code == 0)
    }

    @Test("Any other terminal gets half blocks of 216 colours")
    func fewColours() async throws {
        let mark = "\u{1B}[38;5;188;48;5;188m\u{2580}"
        #expect(try await record(answering: "\u{1B}[?1;2c", showing: mark, "COLORTERM=").code == 0)
    }

    @Test("A terminal that knows kitty's protocol gets pixels")
    func kitty() async throws {
        let answer = "\u{1B}_Gi=31;OK\u{1B}\\\u{1B}[?62;c"
        #expect(try await record(answering: answer, showing: "\u{1B}_Ga=T,f=24,s=").code == 0)
    }

    @Test("A terminal that knows sixels gets sixels")
    func sixel() async throws {
        #expect(try await record(answering: "\u{1B}[?62;4c", showing: "\u{1B}Pq\"1;1;").code == 0)
    }

    @Test("What waited as JPEG images before the clip began is shown like any other picture")
    func preRoll() async throws {
        let workspace = try Workspace()
        _ = try await workspace.capturegate("grant", "camera", "--always")
        let terminal = try PseudoTerminal()
        let line = "record a.mkv --camera test:bars --size 320x240 --fps 30 --for 2s --pre-roll 1s --preview"
        let child = try ChildProcess(
            ["sh", "-c", "TERM=xterm COLORTERM=truecolor '\(Executable.capturegate)' \(line) 2>/dev/tty"],
            in: workspace, terminal: terminal.path)
        try await terminal.wait(for: "a=q,t=d,f=24;AAAA\u{1B}\\\u{1B}[c", answering: "\u{1B}[?1;2c")
        try await terminal.wait(for: "Keeping the last 1.0 s", answering: "\n")
        try await terminal.wait(for: "m\u{2580}")
        async let rest: Void = terminal.drain()
        #expect(try await child.finish().code == 0)
        try await rest
    }

    @Test("Without a terminal, --preview is refused, and nothing is asked or recorded")
    func noTerminal() async throws {
        let workspace = try Workspace()
        let ending = try await workspace.capturegate("record", "clip.mkv", "--camera", "test:bars", "--preview")
        #expect(ending.code == 64)
        #expect(ending.errors.contains("--preview"))
        #expect(!workspace.names.contains { $0.hasPrefix("clip") })
    }

    @Test("A preview of sound alone is refused")
    func sound() async throws {
        let workspace = try Workspace()
        let ending = try await workspace.capturegate("record", "clip.wav", "--microphone", "test:tone", "--preview")
        #expect(ending.code == 64)
    }
}
