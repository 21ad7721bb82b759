import Glibc
import Testing

@Suite("partial files that vanish", .fewAtOnce)
struct VanishingTests {
    /// Runs a shell command while something is recorded to `d/a.wav`, and then ends the recording.
    private func recording(meanwhile command: String) async throws -> (Workspace, Ending) {
        let workspace = try Workspace()
        try await workspace.allowTestDevices()
        _ = try await workspace.run(["mkdir", "d"])
        let child = try workspace.start("record", "d/a.wav", "--microphone", "test:tone", "--json")
        _ = try await child.waitForLine(containing: "\"progress\"")
        #expect(try await workspace.run(["sh", "-ec", command]).code == 0)
        child.send(SIGINT)
        return (workspace, try await child.finish())
    }

    @Test("one that was removed is told to be gone", arguments: ["rm d/a.wav.partial", "rm -r d"])
    func removed(command: String) async throws {
        let (_, ending) = try await recording(meanwhile: command)
        #expect(ending.code == 74)
        #expect(ending.errors.contains("d/a.wav.partial was removed during the recording"))
    }

    @Test("one that was moved is told where it is", arguments: ["mv d/a.wav.partial b.wav", "mv d e; mv e/* b.wav"])
    func moved(command: String) async throws {
        let (workspace, ending) = try await recording(meanwhile: command)
        #expect(ending.code == 74)
        #expect(ending.errors.contains("\(workspace.path)/b.wav"))
        #expect(try await workspace.samples("b.wav", channels: 2) > 0)
    }

    @Test("a file that has taken its place is left alone")
    func replaced() async throws {
        let (workspace, ending) = try await recording(meanwhile: "rm d/a.wav.partial; echo mine > d/a.wav.partial")
        #expect(ending.code == 74)
        #expect(try workspace.text("d/a.wav.partial") == "mine\n")
        #expect(workspace.size("d/a.wav") < 0)
    }
}
