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
        let (atEnds, ofDecisions) = try store.perform { db in
            try db.inStandstill {
                let atEnds = AuditLog.fault(between: try AuditChain.extent(db), and: try chain.head.read())
                return (atEnds, try AuditLog.faultOfDecisions(db))
            }
        }
        let path = store.folder.databasePath
        let scan = try store.perform { db in
            try db.inSnapshot {
                try StoreConnection.check(db, "quick_check", at: path)
                return try AuditScan(of: db)
            }
        }
        return AuditReport(
            lines: scan.lines, first: scan.first, last: scan.last,
            fault: [scan.fault, atEnds].compactMap { $0 }.min { $0.number < $1.number } ?? ofDecisions,
            unfinished: try unfinished(scan))
    }

    /// The captures that have ended without a word. A process may have written the end behind the scan, and be gone by now:
    /// what came since is read once it is known to be.
    private func unfinished(_ scan: AuditScan) throws(CaptureError) -> [Int64] {
        var captures = scan.captures
        let gone = captures.unfinished { $0.isGone(since: $1) }
        guard !gone.isEmpty, let last = scan.last, last < .max else { return gone }
        for entry in try entries(from: last + 1) { captures.add(entry.number, entry.text) }
        let open = captures.unfinished { _, _ in true }
        return gone.filter(open.contains)
    }

    /// What is decided now against what the last line was written with.
    private static func faultOfDecisions(_ db: Database) throws -> AuditFault? {
        // Lines of older formats do not say.
        guard try StoreSchema.found(db) >= 4 else { return nil }
        let (state, tail) = (try DecisionState(db), try AuditTail(db))
        let last = tail.extent.last
        guard tail.state != state.digest, tail.isIntact || !(last == .origin && state.isInitial) else { return nil }
        return AuditFault(
            .decisions, at: max(1, last.number),
            "What is decided is not what line \(last.number), the last, was written with.")
    }

    /// What the head file says against the log.
    static func fault(between found: AuditExtent, and head: AuditHead?) -> AuditFault? {
        let last = found.last.number
        guard let head else {
            guard last > 0 else { return nil }
            return AuditFault(.head, at: last, "The head file that says where the log ends is missing or unreadable.")
        }
        if head.names(found) { return nil }
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
