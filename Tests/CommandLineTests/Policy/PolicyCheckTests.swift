import Testing

@Suite("policy check")
struct PolicyCheckTests {
    @Test("rules that are understood end with 0")
    func good() async throws {
        let workspace = try Workspace()
        _ = try await workspace.run(["mkdir", "-m", "755", "policy.d"])
        try workspace.write("version: 1\nrules:\n  - allow: microphone\n", to: "policy.d/a.yaml")
        _ = try await workspace.run(["chmod", "644", "policy.d/a.yaml"])
        let ending = try await workspace.capturegate("policy", "check", "policy.d")
        #expect(ending.code == 0)
        #expect(ending.output.contains("1 rule in 1 file"))
    }

    @Test("a fault ends with 78 and names file, line and column")
    func bad() async throws {
        let workspace = try Workspace()
        _ = try await workspace.run(["mkdir", "-m", "755", "policy.d"])
        try workspace.write("version: 1\nrules:\n  - allow: screen\n", to: "policy.d/a.yaml")
        _ = try await workspace.run(["chmod", "644", "policy.d/a.yaml"])
        let ending = try await workspace.capturegate("policy", "check", "policy.d")
        #expect(ending.code == 78)
        #expect(ending.output.contains("policy.d/a.yaml:3:"))
        let json = try await workspace.capturegate("policy", "check", "policy.d", "--json")
        #expect(json.code == 78)
        #expect(try Document(json.output)["diagnostics"].elements.first?["line"] == .number(3))
    }
}
