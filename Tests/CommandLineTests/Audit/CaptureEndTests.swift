import Glibc
import Testing

@Suite("the ends of captures in the log", .serialized, .fewAtOnce)
struct CaptureEndTests {
    private func recording(_ workspace: Workspace, _ output: String, for time: String) async throws -> ChildProcess {
        _ = try await workspace.capturegate("grant", "microphone", "--always")
        let recording = try workspace.start(
            "record", output, "--microphone", "test:tone", "--for", time, "--json")
        _ = try await recording.waitForLine(containing: "\"event\":\"start\"")
        return recording
    }

    private func verdict(_ workspace: Workspace) async throws -> Document {
        let ending = try await workspace.capturegate("log", "--verify", "--json")
        #expect(ending.code == 0)
        return try Document(ending.output)
    }

    @Test("one that can't be written is told, and the program ends with 78; the clip is whole", .timeLimit(.minutes(5)))
    func locked() async throws {
        let workspace = try Workspace()
        let recording = try await recording(workspace, "a.wav", for: "500ms")
        let lock = try workspace.lock()
        let ending = try await recording.finish()
        #expect(ending.code == 78, "\(ending)")
        #expect(ending.errors.contains("but not its end:") && ending.errors.contains("locked"), "\(ending.errors)")
        #expect(ending.errors.contains("capturegate log --verify"))
        let events = try Document.lines(ending.output)
        #expect(
            events.contains { $0["event"] == .string("end") && $0["reason"] == .string("complete") }, "\(ending.output)"
        )
        #expect(events.last?["error"]["exit_code"] == .number(78))
        #expect(try await workspace.samples("a.wav", channels: 2) == 24_000)
        try lock.close()
        #expect(try await verdict(workspace)["unfinished"].elements == [.number(2)])
    }

    @Test("a permission that runs out is nowhere called taken back, and its sentence ends before the count")
    func expired() async throws {
        let workspace = try Workspace()
        _ = try await workspace.capturegate("grant", "microphone", "--for", "1s")
        let ending = try await workspace.capturegate("record", "a.wav", "--microphone", "test:tone", "--for", "1h")
        #expect(ending.code == 77)
        #expect(ending.errors.contains("has expired.") && ending.errors.contains("Ended early: the permission ended."))
        #expect(!(ending.output + ending.errors).contains("revoked"), "\(ending)")
        let log = try await workspace.capturegate("log").output
        #expect(log.contains("has expired; ") && !log.contains(".;"), "\(log)")
    }

    @Test("that of a program that was killed is missed, that of one that runs is not")
    func killed() async throws {
        let workspace = try Workspace()
        let recording = try await recording(workspace, "null:", for: "1h")
        #expect(try await verdict(workspace)["unfinished"].elements.isEmpty)
        recording.send(SIGKILL)
        _ = try await recording.finish()
        let verdict = try await verdict(workspace)
        #expect(verdict["unfinished"].elements == [.number(2)] && verdict["intact"] == .bool(true))
        let text = try await workspace.capturegate("log", "--verify")
        #expect(text.code == 0)
        #expect(text.output.contains("1 capture ended without a line in the log: #2."), "\(text.output)")
    }
}
