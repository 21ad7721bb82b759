import CSystem
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

/// Whether a store is what its last change left. Three things say what that was, and must agree: the head file where the log
/// ends, the last line which state it left, and the tables what that is.
///
/// One difference is legal: the head is written before the commit, so a process that was killed between the two leaves
/// the state before. What is older, as one file of a backup or a database whose write-ahead log is lost, differs more.
extension AuditChain {
    /// What the store decides by.
    ///
    /// - Throws: `.store` where it has lost or changed anything since its last change.
    func confirmed(_ db: Database) throws -> DecisionState {
        var written = try head.read()
        for _ in 0..<10 {
            let (state, tail) = try db.inSnapshot { (try DecisionState(db), try AuditTail(db)) }
            guard let loss = loss(of: state, tail, against: written) else { return state }
            // Another process may have committed since the head was read; then there is a newer one.
            let newer = try head.read()
            guard newer != written else { throw StoreFailure.lost(head.path, loss) }
            if self.loss(of: state, tail, against: newer) == nil { return state }
            written = newer
        }
        // Changes come quicker than they can be read.
        return try db.inStandstill { try confirm(db) }
    }

    /// The same inside a transaction that has the lock, as each change does it first: going on would heal what was lost.
    @discardableResult
    func confirm(_ db: Database) throws -> DecisionState {
        let (state, tail) = (try DecisionState(db), try AuditTail(db))
        if let loss = loss(of: state, tail, against: try head.read()) { throw StoreFailure.lost(head.path, loss) }
        return state
    }

    /// Settles what a change leaves that fails: where another process had the lock, its head may name what was committed
    /// before as if it might not have been.
    func settling(_ db: Database, _ change: () throws -> Void) throws {
        do {
            try change()
        } catch {
            try? heal(db)
            throw error
        }
    }

    /// Settles what a killed process left.
    func heal(_ db: Database) throws {
        if let written = try head.read(), !written.isSettled { settle(db) }
    }

    /// How a store differs from what its last change left, as half a sentence; `nil` where it does not.
    private func loss(of state: DecisionState, _ tail: AuditTail, against written: AuditHead?) -> String? {
        let last = tail.extent.last.number
        if let loss = AuditChain.loss(of: tail.extent, against: written, isInitial: state.isInitial) { return loss }
        // Before the first change there is no line that could say anything.
        if tail.extent.last == .origin, state.isInitial { return nil }
        guard tail.isIntact else { return "the last line of its log, \(last), is not the one that was written" }
        guard tail.state == state.digest else {
            return "what it decides by is not what line \(last), the last of its log, was written with"
        }
        return nil
    }

    /// How far the log reaches, against what the head says of that.
    static func loss(of found: AuditExtent, against written: AuditHead?, isInitial: Bool) -> String? {
        guard let written else {
            return found.last == .origin && isInitial ? nil : "its file audit.head is missing or unreadable"
        }
        if written.names(found) { return nil }
        let (known, last) = (written.after.last.number, found.last.number)
        if known > last {
            return "audit.head knows of line \(known), and the database ends at line \(last): later decisions are lost"
        }
        if known < last {
            return "the database has come to line \(last), and audit.head is an older one, of line \(known)"
        }
        return "audit.head is of another log than the database"
    }
}

/// The end of the log as it stands in the database.
struct AuditTail: Sendable {
    let extent: AuditExtent
    /// Whether the last line is the one that was written, by its own hash; false where there is none.
    let isIntact: Bool
    /// The digest of the state that the last line left; `nil` where it has none.
    let state: String?

    init(_ db: Database) throws {
        extent = try AuditChain.extent(db)
        let row = try db.row("SELECT number, event, previous, hash FROM audit ORDER BY number DESC LIMIT 1")
        let entry = try row.map { try AuditEntry(undecoded: $0) }
        isIntact =
            try entry.map { try $0.hash == AuditChain.hash(number: $0.number, previous: $0.previous, event: $0.text) }
            ?? false
        state = entry.flatMap { AuditLine.state(in: $0.text) }
    }
}

/// One line's place in the chain: its number and the hash that covers it and all before it.
struct AuditLink: Hashable, Sendable {
    let number: Int64
    /// 64 lower-case hexadecimal digits.
    let hash: String

    /// Where every chain begins: before line 1.
    static let origin = AuditLink(number: 0, hash: String(repeating: "0", count: 64))

    /// What a line may be numbered, 0 for none: a thousand lines a second come to the end of it in 146 million years. What
    /// a flipped bit puts beyond is no number, and so no sum of two is too large.
    static let numbers: ClosedRange<Int64> = 0...(1 << 62)

    /// - Throws: `.store` at the end of all numbers.
    func nextNumber() throws(CaptureError) -> Int64 {
        guard number < AuditLink.numbers.upperBound else {
            throw StoreFailure.error(
                "The audit log has come to its last line, \(number).", errno: EOVERFLOW,
                "Move the store away to begin with an empty one.")
        }
        return number + 1
    }
}

/// How far a log reaches: from behind `anchor`, the last line that retention dropped, to `last`.
struct AuditExtent: Hashable, Sendable {
    let anchor: AuditLink
    let last: AuditLink
}
