import FoundationEssentials
import GRDB
import Gate

/// Appends lines to the audit log, each with the hash of the one before it and the digest of what is decided behind it, and
/// finds out whether a store is what its last change left.
struct AuditChain: Sendable {
    let head: AuditHeadFile

    init(headPath: String) {
        head = AuditHeadFile(path: headPath)
    }

    /// Inserts a line and names it in the head file. To be called last in an immediate transaction: that also keeps
    /// two processes from writing the head at once.
    func append(_ event: AuditEvent, _ db: Database, droppingUpTo anchor: AuditLink? = nil) throws {
        let found = try AuditChain.extent(db)
        let turn = try nextTurn()
        let text = try AuditChain.text(of: AuditLine(event, state: try DecisionState.digest(db)))
        let number = try found.last.nextNumber()
        let hash = try AuditChain.hash(number: number, previous: found.last.hash, event: text)
        try db.run(
            "INSERT INTO audit (number, event, previous, hash) VALUES (?, ?, ?, ?)",
            [number, text, found.last.hash, hash])
        let after = AuditExtent(anchor: anchor ?? found.anchor, last: AuditLink(number: number, hash: hash))
        try head.write(AuditHead(turn: turn, before: found, after: after), durable: true)
    }

    /// Says in the head file how the last change ended, where it does not say so yet: that it is complete, or that it was
    /// never committed.
    ///
    /// Under the lock, so that nobody is between head and commit. Nothing is lost where this fails: the next change and
    /// the next opening settle what they find.
    func settle(_ db: Database) {
        // Whoever holds the lock is about to write a newer head: nobody waits for that.
        try? db.execute(sql: "PRAGMA busy_timeout = 0")
        defer { try? db.execute(sql: "PRAGMA busy_timeout = \(StoreConnection.patience)") }
        try? db.inTransaction(.immediate) {
            let found = try AuditChain.extent(db)
            if let written = try head.read(), !written.isSettled, written.names(found) {
                try head.write(AuditHead(turn: try nextTurn(), before: found, after: found), durable: false)
            }
            return .rollback
        }
    }

    private func nextTurn() throws(CaptureError) -> UInt64 {
        let turn = try head.read()?.turn ?? 0
        guard turn < .max else { throw StoreFailure.lost(head.path, "audit.head has come to its last turn") }
        return turn + 1
    }

    static func extent(_ db: Database) throws -> AuditExtent {
        let anchor = try link(db, "SELECT anchor_number, anchor_hash FROM state") ?? .origin
        let last = try link(db, "SELECT number, hash FROM audit ORDER BY number DESC LIMIT 1")
        return AuditExtent(anchor: anchor, last: last ?? anchor)
    }

    static func hash(number: Int64, previous: String, event: String) throws(CaptureError) -> String {
        try SHA256.hex(of: "capturegate-audit-1\n\(number)\n\(previous)\n\(event)".utf8)
    }

    static func text(of event: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(event), as: UTF8.self)
    }

    private static func link(_ db: Database, _ sql: String) throws -> AuditLink? {
        try db.row(sql).map { row in
            guard let number = Int64.fromDatabaseValue(row[0]), let hash = String.fromDatabaseValue(row[1]) else {
                throw DatabaseError(resultCode: .SQLITE_CORRUPT, message: "the audit log has a line without a number")
            }
            guard AuditLink.numbers.contains(number) else {
                throw DatabaseError(
                    resultCode: .SQLITE_CORRUPT, message: "the audit log has a line numbered \(number), which none has")
            }
            return AuditLink(number: number, hash: hash)
        }
    }
}
