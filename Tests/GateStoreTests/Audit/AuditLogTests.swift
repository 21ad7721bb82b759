import Gate
import GateStore
import Testing

@Suite("audit log")
struct AuditLogTests {
    let folder: TemporaryFolder
    let store: SQLiteGrantStore

    init() throws {
        folder = try TemporaryFolder()
        store = try SQLiteGrantStore(directory: folder.path)
    }

    private func fill(_ lines: Int) throws {
        for line in 1...lines { try store.append(Samples.event(.dismissal, "line \(line)")) }
    }

    @Test("A new log is intact and empty")
    func empty() throws {
        #expect(try store.audit.verify() == AuditReport(lines: 0, first: nil, last: nil, fault: nil))
        #expect(try store.audit.entries().isEmpty)
    }

    @Test("Every change of a store is one line, in order, chained, with the event as it was")
    func lines() throws {
        let decision = try store.record([Samples.decision(lifetime: .once)], audit: Samples.event()).decisions[0]
        let start = AuditEvent(
            .start, at: Samples.instant(), subject: Samples.subject(), capability: .microphone, level: .record,
            devices: [DeviceID(rawValue: "usb/1 \"ü\"")], decision: decision.id, detail: "started")
        _ = try store.consume(once: [try #require(decision.id)], audit: start)
        let stop = AuditEvent(
            .stop, at: Samples.instant(), subject: nil, frames: .max, bytes: 12, detail: "stopped")
        try store.append(stop)
        _ = try store.setKillSwitch(.camera, on: true, audit: Samples.event(.killSwitch))
        _ = try store.remove([1], audit: Samples.event(.removal))
        let entries = try store.audit.entries()
        #expect(entries.map(\.number) == [1, 2, 3, 4, 5])
        #expect(entries.map(\.event?.kind) == [.decision, .start, .stop, .killSwitch, .removal])
        #expect(entries[0].event?.decision == decision.id)
        #expect(entries[1].event == start)
        #expect(entries[2].event == stop)
        #expect(zip(entries, entries.dropFirst()).allSatisfy { $0.hash == $1.previous })
        // The end is of another device, and the boot it began in is over.
        let report = AuditReport(lines: 5, first: 1, last: 5, fault: nil, unfinished: [2])
        #expect(try store.audit.verify() == report)
    }

    @Test("A change that throws leaves no line")
    func thrown() throws {
        #expect(throws: CaptureError.self) { try store.consume(once: [7], audit: Samples.event(.start)) }
        #expect(try store.audit.entries().isEmpty)
        #expect(try store.audit.verify().isIntact)
    }

    @Test("Lines can be read from a number on, so many at most, and the last ones")
    func ranges() throws {
        try fill(10)
        #expect(try store.audit.entries(from: 4, limit: 3).map(\.number) == [4, 5, 6])
        #expect(try store.audit.entries(from: 11).isEmpty)
        #expect(try store.audit.last(2).map(\.number) == [9, 10])
        #expect(try store.audit.last(-1).isEmpty)
    }

    @Test("Two stores on one folder write one chain")
    func twoWriters() async throws {
        let directory = folder.path
        await withTaskGroup { group in
            for writer in 0..<4 {
                group.addTask {
                    do {
                        let store = try SQLiteGrantStore(directory: directory)
                        for line in 0..<25 { try store.append(Samples.event(.dismissal, "\(writer) \(line)")) }
                    } catch {
                        Issue.record(error)
                    }
                }
            }
        }
        #expect(try store.audit.verify() == AuditReport(lines: 100, first: 1, last: 100, fault: nil))
    }

    @Test("Retention drops the oldest lines and keeps the chain")
    func retention() throws {
        try fill(20)
        #expect(try store.audit.prune(keeping: 5, audit: Samples.event(.removal)) == 15)
        #expect(try store.audit.verify() == AuditReport(lines: 6, first: 16, last: 21, fault: nil))
        #expect(try store.audit.prune(keeping: 6, audit: Samples.event(.removal)) == 0)
        try fill(1)
        #expect(try store.audit.prune(keeping: 0, audit: Samples.event(.removal)) == 7)
        #expect(try store.audit.verify() == AuditReport(lines: 1, first: 23, last: 23, fault: nil))
        let reopened = try SQLiteGrantStore(directory: folder.path)
        try reopened.append(Samples.event())
        #expect(try reopened.audit.verify().isIntact)
    }

    @Test("Retention does not drop a fault before anybody has seen it")
    func retentionOfFault() throws {
        try fill(10)
        try tamper(in: folder.path, "UPDATE audit SET event = replace(event, 'line 3', 'line 4') WHERE number = 3")
        let error = #expect(throws: CaptureError.self) {
            try store.audit.prune(keeping: 5, audit: Samples.event(.removal))
        }
        #expect(error?.message.contains("Line 3") == true)
        #expect(try store.audit.verify().fault?.number == 3)
    }

    @Test("The log shortens itself once it has grown by a hundredth beyond what is kept, and stays whole")
    func automaticRetention() throws {
        #expect(try store.audit.keptLines() == AuditLog.standardLines)
        #expect(try store.audit.keep(200, audit: Samples.event(.removal)) == 0)
        #expect(try store.audit.keptLines() == 200)
        try fill(201)
        #expect(try store.audit.verify() == AuditReport(lines: 202, first: 1, last: 202, fault: nil))
        try fill(1)
        let report = try store.audit.verify()
        #expect(report == AuditReport(lines: 201, first: 4, last: 204, fault: nil))
        #expect(try store.audit.last(1).first?.event?.detail == "retention: lines up to 3 dropped")
        try fill(10)
        let later = try store.audit.verify()
        #expect(later.isIntact && (200...202).contains(later.lines))
        let reopened = try SQLiteGrantStore(directory: folder.path)
        #expect(try reopened.audit.keptLines() == 200)
    }

    @Test("Keeping fewer lines drops the oldest at once; what nobody can mean is brought to the nearest")
    func keep() throws {
        try fill(300)
        #expect(try store.audit.keep(1, audit: Samples.event(.removal)) == 201)
        #expect(try store.audit.keptLines() == 100)
        #expect(try store.audit.verify().isIntact)
        #expect(try store.audit.keep(.max, audit: Samples.event(.removal)) == 0)
        #expect(try store.audit.keptLines() == 10_000_000)
    }

    @Test("A number of lines that was tampered with empties no log", arguments: [0, -5, 99, Int64.max])
    func tamperedRetention(kept: Int64) throws {
        try fill(150)
        try tamper(in: folder.path, "UPDATE state SET kept_lines = \(kept)")
        #expect(throws: CaptureError.self) { try fill(1) }
        let report = try store.audit.verify()
        #expect(report.lines == 150 && report.fault?.kind == .decisions && report.fault?.number == 150)
    }

    @Test("A log with a fault is not shortened by itself, and changes go on")
    func automaticRetentionOfFault() throws {
        _ = try store.audit.keep(100, audit: Samples.event(.removal))
        try fill(50)
        try tamper(in: folder.path, "UPDATE audit SET event = replace(event, 'line 1', 'line 2') WHERE number = 2")
        try fill(100)
        let report = try store.audit.verify()
        #expect(report.lines == 151 && report.first == 1)
        #expect(report.fault?.number == 2)
        let error = #expect(throws: CaptureError.self) {
            try store.audit.keep(120, audit: Samples.event(.removal))
        }
        #expect(error?.message.contains("can't be shortened") == true)
    }
}
