import Gate
import GateStore
import Testing

@Suite("a clock that was ahead once", .fewAtOnce)
struct LaterClockTests {
    /// A store that saw the year 2100.
    private func workspace() async throws -> Workspace {
        let workspace = try Workspace()
        _ = try await workspace.capturegate("status")
        let ahead = GateInstant(wallNanoseconds: 4_102_488_000_000_000_000, bootNanoseconds: 0, bootID: "")
        try await offPool {
            try SQLiteGrantStore(directory: workspace.store)
                .append(AuditEvent(.decision, at: ahead, subject: nil, detail: "under a clock that was ahead"))
        }
        return workspace
    }

    @Test("grant, status and the refusal say so, and name what cures it; it does, and revives nothing")
    func cure() async throws {
        let workspace = try await workspace()
        let record = ["record", "null:", "--microphone", "test:tone", "--for", "100ms"]
        let grant = try await workspace.capturegate("grant", "microphone", "--for", "1h")
        #expect(grant.code == 0)
        let refused = try await workspace.capturegate(record)
        #expect(refused.code == 77)
        let status = try await workspace.capturegate("status")
        for text in [grant.errors, refused.errors, status.output] {
            #expect(text.contains("clock") && text.contains("2100-01-01"), "\(text)")
            #expect(text.contains("capturegate reset --clock"), "\(text)")
        }
        let before = try Document(try await workspace.capturegate("status", "--json").output)
        #expect(before["later_clock_ns"] == .number(4_102_488_000_000_000_000))
        let reset = try await workspace.capturegate("reset", "--clock")
        #expect(reset.code == 0)
        #expect(reset.output.contains("Reset the latest clock time, 2100-01-01") && reset.output.contains("removed #1"))
        #expect(try await workspace.capturegate(record).code == 77)
        #expect(try await workspace.capturegate("grant", "microphone", "--for", "1h").errors.isEmpty)
        #expect(try await workspace.capturegate(record).code == 0)
        #expect(try await workspace.capturegate("log").output.contains("latest clock time of 2100-01-01"))
        #expect(try await workspace.capturegate("log", "--verify").code == 0)
        #expect(
            try await workspace.capturegate("reset", "--clock").output
                == "The clock was never ahead. Nothing to reset.\n")
    }

    @Test("a reset of everything forgets it, too")
    func resetAll() async throws {
        let workspace = try await workspace()
        #expect(try await workspace.capturegate("reset", "--yes").code == 0)
        let status = try Document(try await workspace.capturegate("status", "--json").output)
        #expect(status["later_clock_ns"] == .null)
    }
}
