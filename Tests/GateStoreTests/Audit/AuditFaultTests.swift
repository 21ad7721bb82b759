import Gate
import GateStore
import Testing

@Suite("faults of the audit log")
struct AuditFaultTests {
    let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        let store = try SQLiteGrantStore(directory: folder.path)
        for line in 1...9 { try store.append(Samples.event(.start, "line \(line)")) }
        #expect(try store.audit.verify().isIntact)
    }

    private func fault() throws -> AuditFault? {
        try SQLiteGrantStore(inspecting: folder.path).audit.verify().fault
    }

    /// Fault that is still found after appending lines; appending must succeed only if `goesOn` is true.
    private func faultAfterAppending(goesOn: Bool = false) throws -> AuditFault? {
        let store = try SQLiteGrantStore(inspecting: folder.path)
        for _ in 0..<3 {
            let isAppended = (try? store.append(Samples.event(.stop))) != nil
            #expect(isAppended == goesOn)
        }
        return try store.audit.verify().fault
    }

    @Test(
        "A changed line is found",
        arguments: [
            "UPDATE audit SET event = replace(event, 'line 4', 'line 5') WHERE number = 4",
            "UPDATE audit SET event = event || ' ' WHERE number = 4",
            "UPDATE audit SET hash = replace(hash, substr(hash, 1, 1), 'z') WHERE number = 4",
            "UPDATE audit SET previous = (SELECT previous FROM audit WHERE number = 3) WHERE number = 4",
            """
            UPDATE audit SET event = (SELECT event FROM audit a WHERE a.number = 9 - audit.number)
            WHERE number IN (4, 5)
            """,
        ])
    func changed(sql: String) throws {
        try tamper(in: folder.path, sql)
        let fault = try #require(try fault())
        #expect(fault.kind == .changed && fault.number == 4)
        #expect(try faultAfterAppending(goesOn: true)?.number == 4)
    }

    @Test("A changed last line is found")
    func changedLast() throws {
        try tamper(in: folder.path, "UPDATE audit SET event = replace(event, 'line 9', 'line 8') WHERE number = 9")
        #expect(try fault()?.kind == .changed)
        #expect(try faultAfterAppending()?.number == 9)
    }

    @Test("A missing line is found, and one in a row of them")
    func missing() throws {
        try tamper(in: folder.path, "DELETE FROM audit WHERE number = 5")
        let one = try #require(try fault())
        #expect(one.kind == .missing && one.number == 5)
        #expect(one.message == "Line 5 is missing.")
        try tamper(in: folder.path, "DELETE FROM audit WHERE number IN (4, 6)")
        #expect(try fault()?.message == "Lines 4 to 6 are missing.")
    }

    @Test("A cut end is found, by one line or by all, and still when the log goes on", arguments: [9, 8, 1])
    func cutOff(from number: Int) throws {
        try tamper(in: folder.path, "DELETE FROM audit WHERE number >= \(number)")
        let fault = try #require(try fault())
        #expect(fault.kind == .cutOff && fault.number == number)
        #expect(fault.message == "Lines \(number) to 9 were removed from the end.")
        #expect(try faultAfterAppending() == fault)
    }

    @Test("A cut beginning is found, also where the anchor is moved with it")
    func cutBeginning() throws {
        try tamper(
            in: folder.path,
            """
            UPDATE state SET anchor_number = 3, anchor_hash = (SELECT hash FROM audit WHERE number = 3)
            """, "DELETE FROM audit WHERE number <= 3")
        let fault = try #require(try fault())
        #expect(fault.kind == .missing && fault.number == 1)
        #expect(try faultAfterAppending() != nil)
    }

    @Test("An end that was cut can't be written anew")
    func rewritten() throws {
        try tamper(in: folder.path, "DELETE FROM audit WHERE number >= 8")
        try folder.remove("audit.head")
        #expect(throws: CaptureError.self) { _ = try SQLiteGrantStore(directory: folder.path) }
        #expect(try fault()?.kind == .head)
    }

    @Test("A head file that is gone, empty or damaged is found, and still when the log goes on", arguments: 0...2)
    func head(way: Int) throws {
        try folder.remove("audit.head")
        if way == 1 { try folder.write("", to: "audit.head", mode: 0o600) }
        if way == 2 { try folder.write(String(repeating: "x", count: 2048), to: "audit.head", mode: 0o600) }
        let fault = try #require(try fault())
        #expect(fault.kind == .head)
        #expect(try faultAfterAppending() == fault)
    }

    @Test("A database that was put away leaves a fault: the head still knows of its lines")
    func removedDatabase() throws {
        for ending in ["", "-wal", "-shm"] { try? folder.remove("grants.sqlite" + ending) }
        #expect(try fault()?.message == "Lines 1 to 9 were removed from the end.")
        #expect(try faultAfterAppending()?.number == 1)
    }

    @Test("An older head file is found")
    func oldHead() throws {
        let head = try contents("audit.head")
        #expect(try faultAfterAppending(goesOn: true) == nil)
        try folder.write(bytes: head, to: "audit.head")
        try folder.setMode(0o600, of: "audit.head")
        #expect(try fault()?.kind == .head)
    }

    @Test("One damaged half of the head file is no fault: the other half is of the turn before")
    func tornHead() throws {
        var halves = try contents("audit.head")
        // After a settled change the newest turn is even or odd; the older half may be lost without harm.
        let newest = try newestHalf(of: halves)
        halves.replaceSubrange(
            (1 - newest) * 1024 + 100..<(1 - newest) * 1024 + 200, with: repeatElement(0, count: 100))
        try folder.write(bytes: halves, to: "audit.head")
        try folder.setMode(0o600, of: "audit.head")
        #expect(try fault() == nil)
        halves = try contents("audit.head")
        #expect(try faultAfterAppending(goesOn: true) == nil)
    }

    @Test("Decisions that are not those of the last line are found")
    func decisions() throws {
        try tamper(in: folder.path, "INSERT INTO kill_switch VALUES ('camera')")
        let fault = try #require(try fault())
        #expect(fault.kind == .decisions && fault.number == 9)
        #expect(try faultAfterAppending() == fault)
    }

    private func contents(_ name: String) throws -> [UInt8] { try folder.read(name) }

    private func newestHalf(of bytes: [UInt8]) throws -> Int {
        let turns = [bytes[..<1024], bytes[1024...]].map { half in
            UInt64(String(decoding: half, as: UTF8.self).split(separator: " ")[1]) ?? 0
        }
        return turns[0] > turns[1] ? 0 : 1
    }
}
