import Testing

@Suite("how much of the log is kept", .fewAtOnce)
struct LogRetentionTests {
    @Test("50000 lines where nobody said otherwise; what is said is kept, told and a line of the log")
    func setting() async throws {
        let workspace = try Workspace()
        let before = try Document(try await workspace.capturegate("status", "--json").output)
        #expect(before["log_lines_kept"] == .number(50_000))
        let ending = try await workspace.capturegate("log", "--keep", "200", "--json")
        #expect(ending.code == 0)
        #expect(try Document(ending.output) == .object(["kept_lines": .number(200), "dropped": .number(0)]))
        let after = try await workspace.capturegate("status")
        #expect(after.output.contains("the last 200 lines are kept"))
        #expect(try await workspace.capturegate("log").output.contains("retention set to 200 lines by command"))
    }

    @Test("the oldest lines go by themselves, and the log stays whole")
    func automatic() async throws {
        let workspace = try Workspace()
        _ = try await workspace.capturegate("log", "--keep", "100")
        let kill = "'\(Executable.capturegate)' camera off >/dev/null"
        _ = try await workspace.run(["sh", "-c", "for i in $(seq 110); do \(kill); done"])
        let verdict = try Document(try await workspace.capturegate("log", "--verify", "--json").output)
        #expect(verdict["intact"] == .bool(true))
        #expect((100...102).contains(verdict["lines"].number ?? 0))
        #expect((verdict["first"].number ?? 0) > 1)
        let text = try await workspace.capturegate("log").output
        #expect(text.contains("retention: lines up to "))
        try workspace.tamper("DELETE FROM audit WHERE number = (SELECT min(number) FROM audit)")
        #expect(try await workspace.capturegate("log", "--verify").code == 78)
    }

    @Test("nonsense is wrong usage", arguments: ["5", "99", "-1", "10000001", "many", "200 --verify", "200 --last 3"])
    func nonsense(count: String) async throws {
        let workspace = try Workspace()
        let words = ["log", "--keep"] + count.split(separator: " ").map(String.init)
        #expect(try await workspace.capturegate(words).code == 64)
    }
}
