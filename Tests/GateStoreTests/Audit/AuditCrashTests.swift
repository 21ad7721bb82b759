import Gate
import LinuxSystem
import Testing

@testable import GateStore

@Suite("crashes between head and commit")
struct AuditCrashTests {
    let folder: TemporaryFolder
    let store: SQLiteGrantStore

    init() throws {
        folder = try TemporaryFolder()
        store = try SQLiteGrantStore(directory: folder.path)
        for line in 1...3 { try store.append(Samples.event(.dismissal, "line \(line)")) }
    }

    private var chain: AuditChain { AuditChain(headPath: store.folder.headPath) }

    @Test("Killed behind the head and before the commit: the change is not there, and the log is intact")
    func beforeCommit() throws {
        try store.perform { db in
            try db.inTransaction(.immediate) {
                try chain.append(Samples.event(.decision, "never committed"), db)
                return .rollback
            }
        }
        #expect(try chain.head.read()?.isSettled == false)
        #expect(try store.audit.verify() == AuditReport(lines: 3, first: 1, last: 3, fault: nil))
        try store.append(Samples.event(.stop))
        #expect(try store.audit.verify() == AuditReport(lines: 4, first: 1, last: 4, fault: nil))
    }

    @Test("Killed behind the commit and before the head is settled: the change is there, and the log is intact")
    func behindCommit() throws {
        try store.perform { db in
            try db.inTransaction(.immediate) {
                try chain.append(Samples.event(.decision, "committed"), db)
                return .commit
            }
        }
        #expect(try chain.head.read()?.isSettled == false)
        #expect(try store.audit.verify() == AuditReport(lines: 4, first: 1, last: 4, fault: nil))
        try store.append(Samples.event(.stop))
        #expect(try chain.head.read()?.isSettled == true)
        #expect(try store.audit.verify().isIntact)
    }

    @Test(
        "Killed between the two writes or behind them: the next opening has what was decided, and settles the head",
        arguments: [false, true])
    func reopened(isCommitted: Bool) throws {
        try store.perform { db in
            try db.inTransaction(.immediate) {
                try db.execute("INSERT INTO kill_switch VALUES ('camera')")
                try chain.append(Samples.event(.killSwitch), db)
                return isCommitted ? .commit : .rollback
            }
        }
        #expect(try chain.head.read()?.isSettled == false)
        let next = try SQLiteGrantStore(directory: folder.path)
        #expect(try next.snapshot().killSwitches == (isCommitted ? [.camera] : []))
        #expect(try chain.head.read()?.isSettled == true)
        #expect(try store.snapshot().killSwitches == next.snapshot().killSwitches)
        try store.append(Samples.event(.stop))
        #expect(try next.audit.verify().isIntact)
    }

    @Test("A change that fails leaves no head that could pass for one of before the last change")
    func failedChange() throws {
        try store.perform { db in
            try db.inTransaction(.immediate) {
                try chain.append(Samples.event(.decision, "committed, and not settled by whoever did so"), db)
                return .commit
            }
        }
        #expect(throws: CaptureError.self) { _ = try store.consume(once: [7], audit: Samples.event(.start)) }
        #expect(try chain.head.read()?.isSettled == true)
    }

    @Test("A head half written is not taken for one")
    func tornHead() throws {
        let head = try #require(try chain.head.read())
        let whole = try AuditHead(turn: head.turn + 1, before: head.after, after: head.after).encoded()
        #expect(AuditHead(decoding: whole[...])?.turn == head.turn + 1)
        for hole in [1, 30, 200, 350, 600] {
            var torn = whole
            torn.replaceSubrange(hole..<hole + 4, with: [0, 0, 0, 0])
            #expect(AuditHead(decoding: torn[...]) == nil, "a hole at \(hole)")
        }
        #expect(AuditHead(decoding: [UInt8](repeating: 0, count: AuditHead.bytes)[...]) == nil)
    }

    @Test("A head that can't be written stops the change: nothing is stored without its line")
    func unwritableHead() throws {
        let nowhere = AuditChain(headPath: folder.path + "/none/audit.head")
        let error = #expect(throws: CaptureError.self) {
            try store.perform { db in
                try db.inTransaction(.immediate) {
                    _ = try DecisionTable.insert(Samples.decision(), db)
                    try nowhere.append(Samples.event(), db)
                    return .commit
                }
            }
        }
        #expect(error?.kind == .store)
        #expect(error?.message.contains("audit.head") == true)
        #expect(try store.snapshot().decisions.isEmpty)
        #expect(try store.audit.verify() == AuditReport(lines: 3, first: 1, last: 3, fault: nil))
    }

    @Test("A folder in the head's place allows nobody anything, also in a program that runs already")
    func folderAsHead() throws {
        let head = try folder.read("audit.head")
        try folder.remove("audit.head")
        try makeFolder(folder.path + "/audit.head")
        let event = Samples.event()
        #expect(throws: CaptureError.self) { _ = try store.record([Samples.decision()], audit: event) }
        let error = #expect(throws: CaptureError.self) { _ = try store.snapshot() }
        #expect(error?.message.contains("not a regular file") == true)
        try folder.remove("audit.head")
        #expect(throws: CaptureError.self) { _ = try store.snapshot() }
        try folder.write(bytes: head, to: "audit.head")
        try folder.setMode(0o600, of: "audit.head")
        #expect(try store.snapshot().decisions.isEmpty)
    }
}
