import Testing

@Suite("the environment that says where decisions are kept", .fewAtOnce)
struct EnvironmentTests {
    /// Runs a command with 1.5 MiB of other variables; the two that count come last.
    private func crowded(_ workspace: Workspace, _ command: String) async throws -> Ending {
        let script = """
            long=$(head -c 100000 /dev/zero | tr '\\0' x)
            for n in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do set -- "$@" "PAD$n=$long"; done
            exec env -i "$@" HOME="$HOME" XDG_STATE_HOME="$XDG_STATE_HOME" '\(Executable.capturegate)' \(command)
            """
        return try await workspace.run(["sh", "-ec", script])
    }

    @Test("however much stands before it: grant, kill and the gate mean one store")
    func long() async throws {
        let workspace = try Workspace()
        let record = "record null: --microphone test:tone --for 100ms"
        #expect(try await crowded(workspace, "grant microphone --always").code == 0)
        let recorded = try await crowded(workspace, record)
        #expect(recorded.code == 0, "\(recorded.errors.suffix(500))")
        #expect(try await workspace.capturegate("microphone", "off").code == 0)
        #expect(try await crowded(workspace, record).code == 77)
        #expect(workspace.names.contains("state") && !workspace.names.contains(".local"))
    }
}
