import CSystem
import GRDB
import Gate

extension AuditLog {
    /// How many lines are kept where nobody said otherwise: about 30 MB.
    package static let standardLines = 50_000

    /// What can be kept: fewer lines would lose what happened today, more would make `verify` a matter of minutes.
    package static let possibleLines = 100...10_000_000

    /// How many lines are kept. The log grows by a hundredth beyond that before the oldest lines go.
    ///
    /// - Throws: `.store`, with what to do.
    package func keptLines() throws(CaptureError) -> Int {
        try store.perform { try AuditLog.keptLines($0) }
    }

    /// Says how many lines are kept from now on, and drops what is beyond it.
    ///
    /// - Parameters:
    ///   - lines: one of `possibleLines`; what is outside is brought to the nearest of them.
    ///   - audit: the line that says who did so.
    /// - Returns: how many lines were dropped.
    /// - Throws: `.store`, with what to do; also where the lines to drop have a fault that would go with them.
    package func keep(_ lines: Int, audit: AuditEvent) throws(CaptureError) -> Int {
        let lines = min(max(lines, AuditLog.possibleLines.lowerBound), AuditLog.possibleLines.upperBound)
        _ = try store.commit(audit, decides: false, retains: false) { db in
            try db.execute(sql: "UPDATE state SET kept_lines = ?", arguments: [lines])
            return []
        }
        let dropping = AuditEvent(
            .removal, at: audit.at, subject: audit.subject, detail: "retention: all but the last \(lines) lines dropped"
        )
        return try prune(keeping: lines, audit: dropping)
    }

    /// Drops the oldest lines. The hash of the last one dropped stays as the anchor of the chain, in the database and
    /// in the head file, so that a log shortened by anybody else is still found out.
    ///
    /// - Parameters:
    ///   - lines: how many to keep, without the one that `audit` adds.
    ///   - audit: the line that says who shortened the log.
    /// - Returns: how many were dropped; with none to drop nothing is written.
    /// - Throws: `.store`, with what to do; also where the lines to drop have a fault that would go with them.
    package func prune(keeping lines: Int, audit: AuditEvent) throws(CaptureError) -> Int {
        let chain = AuditChain(headPath: store.folder.headPath)
        return try store.perform { try AuditLog.shorten(to: lines, audit, chain, $0) }
    }

    /// Behind each change of a store: shortens a log that has grown by a hundredth beyond what is kept.
    ///
    /// What was changed is committed and stays so. A log that has a fault is left as it is, for `verify` to find.
    static func retain(after event: AuditEvent, _ chain: AuditChain, _ db: Database) {
        guard let found = try? AuditChain.extent(db), let kept = try? keptLines(db) else { return }
        guard found.last.number - found.anchor.number > Int64(kept + kept / 100) else { return }
        let dropping = AuditEvent(
            .removal, at: event.at, subject: event.subject,
            detail: "retention: lines up to \(found.last.number - Int64(kept)) dropped")
        _ = try? shorten(to: kept, dropping, chain, db)
    }

    private static func keptLines(_ db: Database) throws -> Int {
        let found = try Int.fetchOne(db, sql: "SELECT kept_lines FROM state") ?? standardLines
        // Whoever wrote nonsense there must not have the log emptied.
        return possibleLines.contains(found) ? found : standardLines
    }

    private static func shorten(
        to lines: Int, _ event: AuditEvent, _ chain: AuditChain, _ db: Database
    ) throws -> Int {
        var dropped = 0
        try db.inTransaction(.immediate) {
            try chain.confirm(db)
            guard let anchor = try lastToDrop(keeping: max(0, lines), db) else { return .rollback }
            dropped = try drop(upTo: anchor, event, chain, db)
            return .commit
        }
        if dropped > 0 { chain.settle(db) }
        return dropped
    }

    private static func lastToDrop(keeping lines: Int, _ db: Database) throws -> AuditLink? {
        let row = try Row.fetchOne(
            db, sql: "SELECT number, hash FROM audit ORDER BY number DESC LIMIT 1 OFFSET ?", arguments: [lines])
        return row.flatMap { row in
            guard let number = Int64.fromDatabaseValue(row[0]), let hash = String.fromDatabaseValue(row[1]) else {
                return nil
            }
            return AuditLink(number: number, hash: hash)
        }
    }

    private static func drop(
        upTo anchor: AuditLink, _ event: AuditEvent, _ chain: AuditChain, _ db: Database
    ) throws -> Int {
        if let fault = try AuditScan(of: db, upTo: anchor.number).fault { throw AuditLog.refusal(fault) }
        // The line is appended while the log is whole: the head compares it with what was there before.
        try chain.append(event, db, droppingUpTo: anchor)
        try db.execute(sql: "DELETE FROM audit WHERE number <= ?", arguments: [anchor.number])
        let dropped = db.changesCount
        try db.execute(
            sql: "UPDATE state SET anchor_number = ?, anchor_hash = ?", arguments: [anchor.number, anchor.hash])
        return dropped
    }

    private static func refusal(_ fault: AuditFault) -> CaptureError {
        StoreFailure.error(
            "The audit log can't be shortened while it has a fault: \(fault.message)", errno: EILSEQ,
            "Find out who did that; to begin a new log, move the store away.",
            command: ["capturegate", "log", "--verify"])
    }
}
