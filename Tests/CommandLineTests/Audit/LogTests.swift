import Glibc
import LinuxSystem
import Testing

@Suite("the audit log", .fewAtOnce)
struct LogTests {
    @Test("each decision is a line, for people and for programs")
    func lines() async throws {
        let workspace = try Workspace()
        _ = try await workspace.capturegate("grant", "camera", "--device", "test:bars", "--once")
        _ = try await workspace.capturegate("revoke", "camera")
        let text = try await workspace.capturegate("log").output
        #expect(text.split(separator: "\n").count == 2)
        #expect(text.contains("test:bars"))
        let entries = try Document(try await workspace.capturegate("log", "--json").output)["entries"].elements
        #expect(entries.map { $0["event"]["kind"] } == [.string("decision"), .string("removal")])
        #expect(entries[1]["previous"] == entries[0]["hash"])
        let last = try Document(try await workspace.capturegate("log", "--json", "--last", "1").output)
        #expect(last["entries"].elements == [entries[1]])
    }

    @Test("a program finds the keys of all commands, and the text that the hash is of")
    func keys() async throws {
        let workspace = try Workspace()
        _ = try await workspace.capturegate("grant", "camera", "--always")
        let entry = try Document(try await workspace.capturegate("log", "--json").output)["entries"].elements[0]
        #expect(entry["event"]["at"]["boot_id"] != .null)
        #expect(entry["event"]["subject"]["user_id"] == .number(Double(getuid())))
        guard case .string(let stored) = entry["stored"], case .string(let previous) = entry["previous"] else {
            Issue.record("no text is there")
            return
        }
        let hashed = "capturegate-audit-1\n1\n\(previous)\n\(stored)"
        #expect(entry["hash"] == .string(try SHA256.digest(of: hashed.utf8)))
    }

    @Test("an intact log is verified with 0")
    func intact() async throws {
        let workspace = try Workspace()
        _ = try await workspace.capturegate("grant", "camera", "--once")
        let ending = try await workspace.capturegate("log", "--verify")
        #expect(ending.code == 0)
        #expect(ending.output.contains("intact"))
    }

    @Test("a changed line is found and named")
    func changed() async throws {
        let workspace = try Workspace()
        _ = try await workspace.capturegate("grant", "camera", "--device", "test:bars", "--once")
        try Tampering(workspace).replace("allowed for one", "allowed for two")
        let ending = try await workspace.capturegate("log", "--verify")
        #expect(ending.code == 78)
        #expect(ending.errors.contains("line 1"))
        let json = try await workspace.capturegate("log", "--verify", "--json")
        #expect(json.code == 78)
        #expect(try Document(json.output)["intact"] == .bool(false))
        #expect(try Document(json.output)["fault"]["number"] == .number(1))
    }

    @Test("following shows lines as they come and ends with 0 on Ctrl-C")
    func follow() async throws {
        let workspace = try Workspace()
        _ = try await workspace.capturegate("grant", "camera", "--once")
        let log = try workspace.start("log", "--follow", "--json")
        _ = try await log.waitForLine(containing: "\"number\":1,")
        _ = try await workspace.capturegate("revoke", "camera")
        let line = try Document(try await log.waitForLine(containing: "\"number\":2,"))
        #expect(line["event"]["kind"] == .string("removal"))
        log.send(SIGINT)
        #expect(try await log.finish().code == 0)
    }
}
