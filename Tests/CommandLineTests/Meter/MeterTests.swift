import Testing

@Suite("meter", .fewAtOnce)
struct MeterTests {
    /// `test:tone` is a sine whose peaks are at -20 dBFS.
    private func workspace() async throws -> Workspace {
        let workspace = try Workspace()
        _ = try await workspace.capturegate("grant", "microphone", "--level", "meter", "--always")
        return workspace
    }

    @Test("as NDJSON it says the level of each channel, and ends when the time is over")
    func events() async throws {
        let ending = try await workspace().capturegate("meter", "test:tone", "--for", "500ms", "--json")
        #expect(ending.code == 0)
        let events = try Document.lines(ending.output)
        #expect(events.first?["event"].string == "start" && events.first?["channels"].number == 2)
        #expect(events.last?["event"].string == "end" && events.last?["reason"].string == "complete")
        let levels = events.dropFirst().dropLast()
        #expect(!levels.isEmpty && levels.allSatisfy { $0["event"].string == "level" })
        for level in levels {
            let channels = level["channels"].elements
            #expect(channels.map { $0["peak_dbfs"].number } == [-20, -20])
            #expect(channels.allSatisfy { $0["rms_dbfs"].number.map { abs($0 + 23.01) < 0.1 } ?? false })
        }
    }

    @Test("Ctrl-C ends it well, and it says so")
    func interrupted() async throws {
        let workspace = try await workspace()
        defer { withExtendedLifetime(workspace) {} }
        let child = try workspace.start("meter", "test:tone", "--json")
        _ = try await child.waitForLine(containing: "level")
        child.send(2)
        let ending = try await child.finish()
        #expect(ending.code == 0)
        #expect(ending.output.contains("\"reason\":\"interrupt\""))
    }

    @Test("a terminal gets a bar a channel, drawn over again")
    func bars() async throws {
        let workspace = try await workspace()
        let terminal = try PseudoTerminal()
        let child = try ChildProcess(
            ["sh", "-c", "'\(Executable.capturegate)' meter test:tone --for 500ms >/dev/tty"], in: workspace,
            terminal: terminal.path)
        try await terminal.wait(for: "\u{1B}[3A")
        #expect(try await child.finish().code == 0)
        #expect(terminal.screen.contains("  1 [") && terminal.screen.contains("  2 ["))
        #expect(terminal.screen.contains("Ctrl-C stops."))
    }

    @Test("a grant to meter is no grant to record")
    func level() async throws {
        let ending = try await workspace().capturegate("record", "null:", "--microphone", "test:tone", "--for", "1s")
        #expect(ending.code == 77)
    }

    @Test("a microphone that is not there is told, with 66")
    func absent() async throws {
        #expect(try await workspace().capturegate("meter", "no such thing").code == 66)
    }

    @Test("it listens no longer than somebody reads", arguments: ["", " --json"])
    func unread(form: String) async throws {
        let ending = try await workspace().run(
            ["sh", "-c", "'\(Executable.capturegate)' meter test:tone\(form) | head -n 1"])
        #expect(ending.code == 0 && ending.output.contains(form.isEmpty ? "built-in test tone" : "test:tone"))
    }

    @Test("what it can't show is no success", arguments: ["", " --json"])
    func full(form: String) async throws {
        let ending = try await workspace().run(
            ["sh", "-c", "'\(Executable.capturegate)' meter test:tone\(form) >/dev/full"])
        #expect(ending.code == 74 && ending.errors.contains("can't be written"))
    }
}
