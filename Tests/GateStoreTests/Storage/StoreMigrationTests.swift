import Gate
import LinuxSystem
import Testing

@testable import GateStore

@Suite("stores of other versions")
struct StoreMigrationTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test("One of the version before is brought up to date: decisions, switches and log stay as they were")
    func older() throws {
        try FirstFormat(in: folder).write(lines: 3)
        let store = try SQLiteGrantStore(directory: folder.path)
        let snapshot = try store.snapshot()
        #expect(snapshot.decisions == [FirstFormat.decision])
        #expect(snapshot.killSwitches == [.camera])
        #expect(snapshot.latestSinceEpoch == .nanoseconds(77))
        #expect(try store.audit.verify() == AuditReport(lines: 4, first: 1, last: 4, fault: nil))
        let detail = try store.audit.last(1).first?.event?.detail
        #expect(detail == "database upgraded to format 4, with 1 decisions and 1 kill switches")
        #expect(try store.audit.keptLines() == AuditLog.standardLines)
        try store.append(Samples.event(.stop))
        let again = try SQLiteGrantStore(directory: folder.path)
        #expect(try again.audit.verify() == AuditReport(lines: 5, first: 1, last: 5, fault: nil))
        #expect(try again.snapshot().decisions == snapshot.decisions)
    }

    @Test("A migrated store and a new one have the same tables")
    func sameTables() throws {
        try FirstFormat(in: folder).write(lines: 0)
        let migrated = try SQLiteGrantStore(directory: folder.path)
        let fresh = try SQLiteGrantStore(directory: folder.path + "/fresh")
        #expect(try tables(of: migrated) == tables(of: fresh))
    }

    @Test("A migration that fails leaves the older store as it was")
    func failing() throws {
        try FirstFormat(in: folder).write(lines: 3)
        try tamper(in: folder.path, "ALTER TABLE state ADD COLUMN kept_lines INTEGER")
        let error = #expect(throws: CaptureError.self) { _ = try SQLiteGrantStore(directory: folder.path) }
        #expect(error?.kind == .store)
        #expect(try version() == 1)
        try tamper(in: folder.path, "ALTER TABLE state DROP COLUMN kept_lines")
        #expect(try SQLiteGrantStore(directory: folder.path).snapshot().decisions == [FirstFormat.decision])
    }

    @Test("One of a newer program is refused, says what to do, and is not touched")
    func newer() throws {
        _ = try SQLiteGrantStore(directory: folder.path)
        try tamper(in: folder.path, "PRAGMA user_version = 6")
        let error = #expect(throws: CaptureError.self) { _ = try SQLiteGrantStore(directory: folder.path) }
        #expect(error?.message.contains("newer CaptureGate (format 6, this one supports 5)") == true)
        #expect(error?.remedies.first?.text.contains("Update this program") == true)
        #expect(error?.kind == .store)
        #expect(try version() == 6)
    }

    @Test(
        "An older store that can be seen to have lost something is not made good by the migration",
        arguments: [
            "DELETE FROM audit WHERE number = 3", "UPDATE audit SET event = event || ' ' WHERE number = 3",
            "UPDATE kill_switch SET capability = 'bamera'",
        ])
    func harmed(sql: String) throws {
        try FirstFormat(in: folder).write(lines: 3)
        try tamper(in: folder.path, sql)
        for _ in 0..<2 {
            let error = #expect(throws: CaptureError.self) { _ = try SQLiteGrantStore(directory: folder.path) }
            #expect(error?.kind == .store)
        }
        #expect(try version() == 1)
        // Its log can be read as it is.
        #expect(try SQLiteGrantStore(inspecting: folder.path).audit.entries().count >= 2)
        #expect(try version() == 1)
    }

    @Test("Nor is one whose head is missing, or whose rows differ from their indexes")
    func harmedFiles() throws {
        try FirstFormat(in: folder).write(lines: 3)
        var bytes = try folder.read("grants.sqlite")
        let place = try #require(bytes.firstRange(of: Array("/usr/bin/memo".utf8))).lowerBound
        bytes[place + 9] ^= 1
        try folder.write(bytes: bytes, to: "grants.sqlite")
        #expect(throws: CaptureError.self) { _ = try SQLiteGrantStore(directory: folder.path) }
        bytes[place + 9] ^= 1
        try folder.write(bytes: bytes, to: "grants.sqlite")
        let head = try folder.read("audit.head")
        try folder.remove("audit.head")
        #expect(throws: CaptureError.self) { _ = try SQLiteGrantStore(directory: folder.path) }
        try folder.write(bytes: head, to: "audit.head")
        try folder.setMode(0o600, of: "audit.head")
        #expect(try SQLiteGrantStore(directory: folder.path).snapshot().decisions == [FirstFormat.decision])
    }

    @Test("Killed between the head and the commit of the migration, it is made once more")
    func killedMigration() throws {
        try FirstFormat(in: folder).write(lines: 3)
        let path = folder.path
        let store = try SQLiteGrantStore(inspecting: path)
        let chain = AuditChain(headPath: store.folder.headPath)
        try store.perform { db in
            try db.inTransaction(.immediate) {
                try db.execute(
                    "ALTER TABLE state ADD COLUMN kept_lines INTEGER; ALTER TABLE decision ADD COLUMN stamp TEXT")
                try chain.append(Samples.event(.upkeep), db)
                return .rollback
            }
        }
        #expect(try chain.head.read()?.isSettled == false)
        #expect(try SQLiteGrantStore(directory: path).snapshot().decisions == [FirstFormat.decision])
        #expect(try SQLiteGrantStore(directory: path).audit.verify().lines == 4)
    }

    @Test("Two that find an older store at once migrate it once", .timeLimit(.minutes(10)))
    func together() async throws {
        try FirstFormat(in: folder).write(lines: 3)
        let path = folder.path
        try await withThrowingTaskGroup { group in
            for _ in 0..<8 { group.addTask { _ = try SQLiteGrantStore(directory: path).snapshot() } }
            try await group.waitForAll()
        }
        #expect(try SQLiteGrantStore(directory: path).audit.verify().isIntact)
    }

    private func version() throws -> Int? {
        try openDatabase(in: folder.path).value("PRAGMA user_version")?.integer.map { Int($0) }
    }

    /// Each table and index with its columns.
    private func tables(of store: SQLiteGrantStore) throws -> [String] {
        try store.perform { db in
            let names = try db.rows("SELECT name FROM sqlite_schema ORDER BY name").compactMap { $0[0].text }
            return try names.flatMap { name in
                [name] + (try db.rows("PRAGMA table_xinfo('\(name)')").map { "\($0.values)" })
            }
        }
    }
}
