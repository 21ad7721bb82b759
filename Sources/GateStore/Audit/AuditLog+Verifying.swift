import GRDB
import Gate

extension AuditLog {
    /// Reads the whole log and finds the first line that was changed, is missing or was cut off.
    ///
    /// A process that was killed in the middle of a change leaves no fault. Lines that are appended meanwhile are left
    /// to the next verification.
    ///
    /// - Throws: `.store` if the log can't be read; a fault is not an error.
    public func verify() throws(CaptureError) -> AuditReport {
        let chain = AuditChain(headPath: store.folder.headPath)
        // Nobody may be between head and commit while the two are compared. The long reading then blocks nobody.
        let ends = try store.perform { db in
            var ends: (found: AuditExtent, head: AuditHead?)?
            try db.inTransaction(.immediate) {
                ends = (try AuditChain.extent(db), try chain.head.read())
                return .rollback
            }
            return ends
        }
        let scan = try store.perform { db in
            try db.inSnapshot { try AuditScan(of: db) }
        }
        let atEnds = ends.flatMap { AuditLog.fault(between: $0.found, and: $0.head) }
        return AuditReport(
            lines: scan.lines, first: scan.first, last: scan.last,
            fault: [scan.fault, atEnds].compactMap { $0 }.min { $0.number < $1.number })
    }

    /// What the head file says against the log.
    static func fault(between found: AuditExtent, and head: AuditHead?) -> AuditFault? {
        let last = found.last.number
        guard let head else {
            guard last > 0 else { return nil }
            return AuditFault(.head, at: last, "The head file that says where the log ends is missing or unreadable.")
        }
        if head.before == found || head.after == found { return nil }
        let expected = head.after
        if expected.last.number > last {
            return AuditFault(
                .cutOff, at: last + 1, "Lines \(last + 1) to \(expected.last.number) were cut off the end.")
        }
        if expected.last != found.last {
            return AuditFault(
                .head, at: min(last, expected.last.number),
                "The head file says that line \(expected.last.number) is the last, and the log has others.")
        }
        return AuditFault(
            .missing, at: expected.anchor.number + 1,
            "The log begins behind line \(found.anchor.number), and should begin behind \(expected.anchor.number).")
    }
}

/// One reading of all lines.
private struct AuditScan: Sendable {
    private(set) var lines = 0
    private(set) var first: Int64?
    private(set) var last: Int64?
    private(set) var fault: AuditFault?

    init(of db: Database) throws {
        var link = try AuditChain.extent(db).anchor
        let rows = try Row.fetchCursor(db, sql: "SELECT number, event, previous, hash FROM audit ORDER BY number")
        while let row = try rows.next() {
            let entry = try AuditEntry(undecoded: row)
            if fault == nil { fault = try AuditScan.fault(of: entry, after: link) }
            lines += 1
            first = first ?? entry.number
            last = entry.number
            link = AuditLink(number: entry.number, hash: entry.hash)
        }
    }

    private static func fault(of entry: AuditEntry, after link: AuditLink) throws -> AuditFault? {
        guard entry.number == link.number + 1 else {
            let missing = link.number + 1
            return AuditFault(
                .missing, at: missing,
                missing == entry.number - 1
                    ? "Line \(missing) is missing." : "Lines \(missing) to \(entry.number - 1) are missing.")
        }
        let hash = try AuditChain.hash(number: entry.number, previous: entry.previous, event: entry.text)
        guard entry.hash == hash, entry.previous == link.hash else {
            return AuditFault(.changed, at: entry.number, "Line \(entry.number) is not the one that was written.")
        }
        return nil
    }
}
