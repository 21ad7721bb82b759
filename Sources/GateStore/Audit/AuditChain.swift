import FoundationEssentials
import GRDB
import Gate

/// Appends lines to the audit log, each with the hash of the one before it.
struct AuditChain: Sendable {
    let head: AuditHeadFile

    init(headPath: String) {
        head = AuditHeadFile(path: headPath)
    }

    /// Inserts a line and names it in the head file. To be called last in an immediate transaction: that also keeps
    /// two processes from writing the head at once.
    func append(_ event: AuditEvent, _ db: Database, droppingUpTo anchor: AuditLink? = nil) throws {
        let found = try AuditChain.extent(db)
        let written = try head.read()
        let text = try AuditChain.text(of: event)
        let number = AuditChain.nextNumber(after: found, head: written)
        let hash = try AuditChain.hash(number: number, previous: found.last.hash, event: text)
        try db.run(
            "INSERT INTO audit (number, event, previous, hash) VALUES (?, ?, ?, ?)",
            [number, text, found.last.hash, hash])
        let after = AuditExtent(anchor: anchor ?? found.anchor, last: AuditLink(number: number, hash: hash))
        let turn = (written?.turn ?? 0) + 1
        try head.write(AuditHead(turn: turn, before: found, after: after), durable: true)
    }

    /// Says in the head file that the change is complete.
    ///
    /// Behind the commit, and only if the log is still as this change left it: another process that was quicker has
    /// written a newer head. Nothing is lost where this fails: the next change settles what it finds.
    func settle(_ db: Database) {
        // Whoever holds the lock is about to write a newer head: nobody waits for that.
        try? db.execute(sql: "PRAGMA busy_timeout = 0")
        defer { try? db.execute(sql: "PRAGMA busy_timeout = \(StoreConnection.patience)") }
        try? db.inTransaction(.immediate) {
            let found = try AuditChain.extent(db)
            if let written = try head.read(), !written.isSettled, written.after == found {
                try head.write(AuditHead(turn: written.turn + 1, before: found, after: found), durable: false)
            }
            return .rollback
        }
    }

    /// The number of the next line: one more than the last, but where lines were cut off or the head is gone, one
    /// that leaves a gap for ever, so that going on does not heal what somebody did.
    static func nextNumber(after found: AuditExtent, head: AuditHead?) -> Int64 {
        let last = found.last.number
        guard let head else { return last == 0 ? 1 : last + 2 }
        if head.before == found || head.after == found { return last + 1 }
        return max(head.after.last.number + 1, last + 2)
    }

    static func extent(_ db: Database) throws -> AuditExtent {
        let anchor = try link(db, "SELECT anchor_number, anchor_hash FROM state") ?? .origin
        let last = try link(db, "SELECT number, hash FROM audit ORDER BY number DESC LIMIT 1")
        return AuditExtent(anchor: anchor, last: last ?? anchor)
    }

    static func hash(number: Int64, previous: String, event: String) throws(CaptureError) -> String {
        try SHA256.hex(of: "capturegate-audit-1\n\(number)\n\(previous)\n\(event)".utf8)
    }

    static func text(of event: AuditEvent) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(event), as: UTF8.self)
    }

    private static func link(_ db: Database, _ sql: String) throws -> AuditLink? {
        try db.row(sql).map { row in
            guard let number = Int64.fromDatabaseValue(row[0]), let hash = String.fromDatabaseValue(row[1]) else {
                throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the audit log has a line without a number")
            }
            return AuditLink(number: number, hash: hash)
        }
    }
}
