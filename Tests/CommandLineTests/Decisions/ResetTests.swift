import Testing

@Suite("reset", .fewAtOnce)
struct ResetTests {
    @Test("everything that was decided is forgotten, and the log says so")
    func reset() async throws {
        let workspace = try Workspace()
        _ = try await workspace.capturegate("grant", "camera", "--always")
        _ = try await workspace.capturegate("grant", "microphone", "--once")
        let document = try Document(try await workspace.capturegate("reset", "--yes", "--json").output)
        #expect(document["removed"].elements.count == 2)
        let status = try Document(try await workspace.capturegate("status", "--json").output)
        #expect(status["decisions"].elements.isEmpty)
        #expect(try await workspace.capturegate("log").output.contains("reset by command: #1, #2"))
    }

    @Test("without a terminal it wants --yes")
    func noTerminal() async throws {
        let workspace = try Workspace()
        _ = try await workspace.capturegate("grant", "camera", "--always")
        let ending = try await workspace.capturegate("reset")
        #expect(ending.code == 64)
        #expect(ending.errors.contains("capturegate reset --yes"))
        let status = try Document(try await workspace.capturegate("status", "--json").output)
        #expect(status["decisions"].elements.count == 1)
    }

    @Test("at a terminal it asks, and only yes is yes", arguments: [("y\n", 0), ("\n", 77), ("n\n", 77)])
    func asked(keys: String, code: Int32) async throws {
        let workspace = try Workspace()
        _ = try await workspace.capturegate("grant", "camera", "--always")
        let terminal = try PseudoTerminal()
        let reset = try workspace.start("reset", terminal: terminal)
        try await terminal.wait(for: "[y/N]")
        terminal.type(keys)
        let ending = try await reset.finish()
        #expect(ending.code == code)
        let status = try Document(try await workspace.capturegate("status", "--json").output)
        #expect(status["decisions"].elements.count == (code == 0 ? 0 : 1))
    }
}
