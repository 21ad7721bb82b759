import Glibc
import Testing

@Suite("what log --verify finds", .serialized, .fewAtOnce)
struct LogFaultTests {
    /// A change to a log of five lines, and the fault that must be found.
    struct Deed: Sendable, CustomTestStringConvertible {
        let sql: String
        let kind: String
        let number: Double
        let message: String
        var testDescription: String { sql }
        /// Whether the last line is not the one that was written.
        var isAtEnd: Bool { kind == "cutOff" || number == 5 }

        init(_ sql: String, _ kind: String, _ number: Double, _ message: String) {
            (self.sql, self.kind, self.number, self.message) = (sql, kind, number, message)
        }
    }

    static let deeds = [
        Deed("UPDATE audit SET event = replace(event, 'camera', 'camerb') WHERE number = 2", "changed", 2, "Line 2"),
        Deed("UPDATE audit SET event = event || ' ' WHERE number = 5", "changed", 5, "Line 5"),
        Deed("DELETE FROM audit WHERE number = 3", "missing", 3, "Line 3 is missing"),
        Deed("DELETE FROM audit WHERE number IN (2, 3)", "missing", 2, "Lines 2 to 3 are missing"),
        Deed("DELETE FROM audit WHERE number < 3", "missing", 1, "Lines 1 to 2 are missing"),
        Deed("DELETE FROM audit WHERE number >= 4", "cutOff", 4, "Lines 4 to 5 were removed from the end"),
        Deed("DELETE FROM audit", "cutOff", 1, "Lines 1 to 5 were removed from the end"),
    ]

    private func workspace() async throws -> Workspace {
        let workspace = try Workspace()
        for number in 1...5 {
            _ = try await workspace.capturegate("grant", "camera", "--device", "camera:\(number)", "--always")
        }
        #expect(try await workspace.capturegate("log", "--verify").code == 0)
        return workspace
    }

    private func expect(_ kind: String, _ number: Double, _ message: String, in workspace: Workspace) async throws {
        let ending = try await workspace.capturegate("log", "--verify")
        #expect(ending.code == 78)
        #expect(ending.errors.contains("damaged from line \(Int(number)):"), "\(ending.errors)")
        #expect(ending.errors.contains(message), "\(ending.errors)")
        let json = try await workspace.capturegate("log", "--verify", "--json")
        #expect(json.code == 78)
        let document = try Document(json.output)
        #expect(document["intact"] == .bool(false))
        #expect(document["fault"]["kind"] == .string(kind))
        #expect(document["fault"]["number"] == .number(number))
    }

    @Test("a changed, a removed and a cut-off line each, with its number, also when the log goes on", arguments: deeds)
    func tampering(deed: Deed) async throws {
        let workspace = try await workspace()
        try workspace.tamper(deed.sql)
        try await expect(deed.kind, deed.number, deed.message, in: workspace)
        // Where the end of the log is other than it was left, nothing is decided any more; and the fault stays.
        let grant = try await workspace.capturegate("grant", "camera", "--device", "camera:6", "--always")
        #expect(grant.code == (deed.isAtEnd ? 78 : 0))
        let later = try await workspace.capturegate("log", "--verify", "--json")
        #expect(later.code == 78)
        #expect(try Document(later.output)["fault"]["number"] == .number(deed.number))
    }

    @Test(
        "a head file that was removed, emptied or written over",
        arguments: [
            "rm audit.head", ": > audit.head", "head -c 2048 /dev/zero > audit.head",
        ])
    func head(deed: String) async throws {
        let workspace = try await workspace()
        _ = try await workspace.run(["sh", "-c", "cd state/capturegate && \(deed)"])
        try await expect("head", 5, "audit.head, which records the end of the log, is missing", in: workspace)
        _ = try await workspace.capturegate("grant", "camera", "--device", "camera:6", "--always")
        #expect(try await workspace.capturegate("log", "--verify").code == 78)
    }

    @Test("an older head file, put back after the log went on")
    func oldHead() async throws {
        let workspace = try await workspace()
        _ = try await workspace.run(["cp", "-p", "state/capturegate/audit.head", "old"])
        _ = try await workspace.capturegate("grant", "camera", "--device", "camera:6", "--always")
        _ = try await workspace.run(["cp", "old", "state/capturegate/audit.head"])
        #expect(try await workspace.capturegate("log", "--verify").code == 78)
    }

    @Test(
        "a store that lost a kill switch with its write-ahead log decides nothing, and says what to do",
        arguments: [
            "rm grants.sqlite-wal", ": > grants.sqlite-wal", "cp -p ../../old grants.sqlite; rm grants.sqlite-wal",
        ])
    func lostSwitch(deed: String) async throws {
        let workspace = try await workspace()
        _ = try await workspace.capturegate("grant", "microphone", "--always")
        _ = try await workspace.run(["cp", "-p", "state/capturegate/grants.sqlite", "old"])
        // A process that has the store open keeps the decisions in the write-ahead log.
        let log = try workspace.start("log", "--follow", "--json")
        _ = try await log.waitForLine(containing: "number")
        #expect(try await workspace.capturegate("microphone", "off").code == 0)
        log.send(SIGKILL)
        _ = try await log.finish()
        _ = try await workspace.run(["sh", "-c", "cd state/capturegate && \(deed)"])
        for command in ["status", "grant camera --always", "record null: --microphone test:tone --for 100ms"] {
            let ending = try await workspace.capturegate(command.split(separator: " ").map(String.init))
            #expect(ending.code == 78, "\(command): \(ending)")
            #expect(ending.errors.contains("later decisions are lost"), "\(ending.errors)")
            #expect(ending.errors.contains("mv \(workspace.store) \(workspace.store).damaged"), "\(ending.errors)")
        }
        try await expect("cutOff", 7, "Lines 7 to 7 were removed from the end", in: workspace)
        _ = try await workspace.run(["mv", workspace.store, workspace.store + ".damaged"])
        #expect(try await workspace.capturegate("status").code == 0)
    }

    @Test(
        "a damaged number of a line ends every command with a sentence, and soon",
        arguments: [
            "3 WHERE number = 5", "9223372036854775807 WHERE number = 5", "-9223372036854775808 WHERE number = 1",
        ])
    func numbers(change: String) async throws {
        let workspace = try await workspace()
        try workspace.tamper("DELETE FROM audit WHERE number = 3", "UPDATE audit SET number = \(change)")
        for command in [
            "log", "log --json", "log --verify", "log --keep 100", "log --last 3", "status", "grant camera --once",
            "camera off", "revoke camera", "reset --yes", "reset --clock",
            "record null: --microphone test:tone --for 1s",
        ] {
            let ending = try await workspace.run(
                ["timeout", "60", Executable.capturegate] + command.split(separator: " ").map(String.init))
            #expect([0, 77, 78].contains(ending.code), "\(command): \(ending)")
        }
    }

    @Test("a log of which somebody put the whole database away")
    func removedDatabase() async throws {
        let workspace = try await workspace()
        _ = try await workspace.run(["sh", "-c", "rm state/capturegate/grants.sqlite*"])
        try await expect("cutOff", 1, "Lines 1 to 5 were removed from the end", in: workspace)
    }

    @Test("a changed line is shown as what it is, with its control characters visible")
    func shown() async throws {
        let workspace = try await workspace()
        try workspace.tamper("UPDATE audit SET event = 'no event' || char(27) || '[2J' WHERE number = 2")
        let ending = try await workspace.capturegate("log")
        #expect(ending.code == 0)
        #expect(ending.output.contains("#2  can't be read: no event\\u{1b}[2J"))
        #expect(!ending.output.contains("\u{1B}"))
        let json = try Document(try await workspace.capturegate("log", "--json").output)
        #expect(json["entries"].elements[1]["event"] == .string("no event\u{1B}[2J"))
    }
}
