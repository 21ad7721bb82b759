import GRDB
import Gate
import Testing

@testable import GateStore

@Suite("locked, full and failing stores")
struct StoreLockTests {
    let folder: TemporaryFolder
    let store: SQLiteGrantStore

    init() throws {
        folder = try TemporaryFolder()
        store = try SQLiteGrantStore(directory: folder.path)
    }

    @Test("A database locked by another program: reading goes on, a change throws and changes nothing")
    func locked() throws {
        let other = try DatabaseQueue(path: folder.path + "/grants.sqlite")
        try other.writeWithoutTransaction { db in
            try db.beginTransaction(.exclusive)
            #expect(try store.snapshot().decisions.isEmpty)
            let error = #expect(throws: CaptureError.self) {
                _ = try store.record([Samples.decision()], audit: Samples.event())
            }
            #expect(error?.kind == .store)
            #expect(error?.message.contains("locked by another program for 2 s") == true)
            #expect(error?.remedies.first?.command == "fuser -v \(folder.path)/grants.sqlite")
            try db.rollback()
        }
        #expect(try store.snapshot().decisions.isEmpty)
        _ = try store.record([Samples.decision()], audit: Samples.event())
        #expect(try store.audit.verify().isIntact)
    }

    @Test("A full database: the change throws, nothing is lost, and the next one goes through")
    func full() throws {
        let kept = try store.record([Samples.decision()], audit: Samples.event()).decisions
        try store.perform { db in
            let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
            try db.execute(sql: "PRAGMA max_page_count = \(pages)")
        }
        let long = Samples.event(.decision, String(repeating: "x", count: 100_000))
        let error = #expect(throws: CaptureError.self) { _ = try store.record([Samples.decision(.deny)], audit: long) }
        #expect(error?.kind == .store)
        #expect(error?.message.contains("is full") == true)
        #expect(try store.snapshot().decisions == kept)
        try store.perform { try $0.execute(sql: "PRAGMA max_page_count = 1000000") }
        #expect(try store.audit.verify().isIntact)
        _ = try store.record([Samples.decision(.deny)], audit: long)
        #expect(try store.audit.verify().isIntact)
    }

    @Test(
        "What SQLite reports becomes one sentence with what to do",
        arguments: [
            (ResultCode.SQLITE_BUSY_SNAPSHOT, "locked"), (.SQLITE_FULL, "full"), (.SQLITE_READONLY_DBMOVED, "written"),
            (.SQLITE_CANTOPEN, "written"), (.SQLITE_IOERR_FSYNC, "failed"), (.SQLITE_CORRUPT, "damaged"),
            (.SQLITE_NOTADB, "damaged"), (.SQLITE_CONSTRAINT, "damaged"),
        ])
    func sentences(code: ResultCode, word: String) {
        let error = StoreFailure.error(from: DatabaseError(resultCode: code), at: folder.path + "/grants.sqlite")
        #expect(error.kind == .store)
        #expect(error.message.contains(word))
        #expect(error.message.contains(folder.path))
        #expect(error.remedies.count == 1)
        #expect(error.exitCode == 78)
    }
}
