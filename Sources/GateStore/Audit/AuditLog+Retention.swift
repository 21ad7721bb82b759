import CSystem
import GRDB
import Gate

extension AuditLog {
    /// Drops the oldest lines. The hash of the last one dropped stays as the anchor of the chain, in the database and
    /// in the head file, so that a log shortened by anybody else is still found out.
    ///
    /// - Parameters:
    ///   - lines: how many to keep, without the one that `audit` adds.
    ///   - audit: the line that says who shortened the log.
    /// - Returns: how many were dropped; with none to drop nothing is written.
    /// - Throws: `.store`, with what to do; also where the lines to drop have a fault that would go with them.
    public func prune(keeping lines: Int, audit: AuditEvent) throws(CaptureError) -> Int {
        let chain = AuditChain(headPath: store.folder.headPath)
        return try store.perform { db in
            var dropped = 0
            try db.inTransaction(.immediate) {
                guard let anchor = try AuditLog.lastToDrop(keeping: max(0, lines), db) else { return .rollback }
                dropped = try AuditLog.drop(upTo: anchor, audit, chain, db)
                return .commit
            }
            if dropped > 0 { chain.settle(db) }
            return dropped
        }
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
