import GRDB
import Gate

extension AuditLog {
    /// Reads the whole log and finds the first line that was changed, is missing or was cut off.
    ///
    /// A process that was killed in the middle of a change leaves no fault. Lines that are appended meanwhile are left
    /// to the next verification.
    ///
    /// - Throws: `.store` if the log can't be read; a fault is not an error.
    package func verify() throws(CaptureError) -> AuditReport {
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
        let path = store.folder.databasePath
        let scan = try store.perform { db in
            try db.inSnapshot {
                try StoreConnection.check(db, "", at: path)
                return try AuditScan(of: db)
            }
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
