import Foundation
import Gate
import LinuxSystem
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
        try openDatabase(in: folder.path).inTransaction(.exclusive) { () throws in
            #expect(try store.snapshot().decisions.isEmpty)
            let error = #expect(throws: CaptureError.self) {
                _ = try store.record([Samples.decision()], audit: Samples.event())
            }
            #expect(error?.kind == .store)
            #expect(error?.message.contains("Another program has locked") == true)
            #expect(error?.remedies.first?.command == "fuser -v \(folder.path)/grants.sqlite")
            return .rollback
        }
        #expect(try store.snapshot().decisions.isEmpty)
        _ = try store.record([Samples.decision()], audit: Samples.event())
        #expect(try store.audit.verify().isIntact)
    }

    @Test("While a commit of this process waits for its disk, a watched store is read beside it")
    func readBesideOwnWriting() throws {
        let observation = store.observeChanges {}
        try store.perform { db in
            try db.inTransaction(.immediate) {
                try db.execute("INSERT INTO kill_switch VALUES ('camera')")
                let read = DispatchSemaphore(value: 0)
                Thread.detachNewThread {
                    if (try? store.snapshot().killSwitches.isEmpty) == true { read.signal() }
                }
                // Waits this long only if it fails.
                #expect(read.wait(timeout: .now() + 60) == .success)
                try AuditChain(headPath: store.folder.headPath).append(Samples.event(.killSwitch), db)
                return .commit
            }
        }
        #expect(try store.snapshot().killSwitches == [.camera])
        withExtendedLifetime(observation) {}
    }

    @Test("Files that come and go while the folder is checked are no fault")
    func comingAndGoing() throws {
        let state = try StateDirectory(preparing: folder.path + "/other")
        let log = state.databasePath + "-wal"
        let ended = Signal()
        Thread.detachNewThread {
            for _ in 0..<20_000 {
                close(open(log, O_CREAT | O_WRONLY, 0o600))
                unlink(log)
            }
            ended.send()
        }
        while ended.isSilent { try state.check() }
    }

    @Test("Stores of one folder are opened, written and closed by several at once, and each line is in the log")
    func openingAndClosing() async throws {
        let path = folder.path + "/other"
        try await withThrowingTaskGroup { group in
            for _ in 0..<3 {
                group.addTask {
                    for _ in 0..<40 { try SQLiteGrantStore(directory: path).append(Samples.event()) }
                }
            }
            try await group.waitForAll()
        }
        let audit = try SQLiteGrantStore(directory: path).audit
        #expect(try audit.verify().isIntact)
        #expect(try audit.last(200).count == 120)
    }

    @Test("A full database: the change throws, nothing is lost, and the next one goes through")
    func full() throws {
        let kept = try store.record([Samples.decision()], audit: Samples.event()).decisions
        try store.perform { db in
            let pages = try db.value("PRAGMA page_count")?.integer ?? 0
            try db.execute("PRAGMA max_page_count = \(pages)")
        }
        let long = Samples.event(.decision, String(repeating: "x", count: 100_000))
        let error = #expect(throws: CaptureError.self) { _ = try store.record([Samples.decision(.deny)], audit: long) }
        #expect(error?.kind == .store)
        #expect(error?.message.contains("is full") == true)
        #expect(try store.snapshot().decisions == kept)
        try store.perform { try $0.execute("PRAGMA max_page_count = 1000000") }
        #expect(try store.audit.verify().isIntact)
        _ = try store.record([Samples.decision(.deny)], audit: long)
        #expect(try store.audit.verify().isIntact)
    }

    @Test(
        "What SQLite reports becomes one sentence with what to do",
        arguments: [
            // BUSY_SNAPSHOT, FULL, READONLY_DBMOVED, CANTOPEN
            (517, "locked"), (13, "full"), (1032, "written"), (14, "written"),
            // IOERR_FSYNC, CORRUPT, NOTADB, CONSTRAINT
            (1034, "failed"), (11, "damaged"), (26, "damaged"), (19, "damaged"),
        ])
    func sentences(code: Int, word: String) {
        let error = StoreFailure.error(from: SQLiteError(code: code), at: folder.path + "/grants.sqlite")
        #expect(error.kind == .store)
        #expect(error.message.contains(word))
        #expect(error.message.contains(folder.path))
        #expect(error.remedies.count == 1)
    }
}
