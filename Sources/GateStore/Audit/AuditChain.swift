import FoundationEssentials
import Gate
import LinuxSystem

/// The chain of the audit log. Each line has the hash of the line before it, and the digest of the state it leaves.
struct AuditChain: Sendable {
    let head: AuditHeadFile

    init(headPath: String) {
        head = AuditHeadFile(path: headPath)
    }

    /// Inserts a line and names it in the head file. Call it last in an immediate transaction, which also keeps two processes
    /// from writing the head at once.
    func append(_ event: AuditEvent, _ db: borrowing SQLiteConnection, droppingUpTo anchor: AuditLink? = nil) throws {
        let found = try AuditChain.extent(db)
        let turn = try nextTurn(after: try head.read())
        let text = try AuditChain.text(of: AuditRecord(event, state: try DecisionState.digest(db)))
        let number = try found.last.nextNumber()
        let hash = try AuditChain.hash(number: number, previous: found.last.hash, event: text)
        try db.run(
            "INSERT INTO audit (number, event, previous, hash) VALUES (?, ?, ?, ?)",
            [.integer(number), .text(text), .text(found.last.hash), .text(hash)])
        let after = AuditExtent(anchor: anchor ?? found.anchor, last: AuditLink(number: number, hash: hash))
        try head.write(AuditHead(turn: turn, before: found, after: after), durable: true)
    }

    /// Records in the head file whether the last change is complete or was never committed. Does nothing if the file already has
    /// this.
    ///
    /// Takes the lock, so that no process is between head and commit. A failure loses nothing: the next change or opening settles
    /// the head that it finds.
    func settle(_ db: borrowing SQLiteConnection) {
        // A process that holds the lock is about to write a newer head, so waiting for it is pointless.
        db.setBusyTimeout(0)
        defer { db.setBusyTimeout(StoreDatabase.patience) }
        try? db.inTransaction(.immediate) {
            let found = try AuditChain.extent(db)
            if let written = try head.read(), !written.isSettled, written.names(found) {
                let turn = try nextTurn(after: written)
                try head.write(AuditHead(turn: turn, before: found, after: found), durable: false)
            }
            return .rollback
        }
    }

    /// The turn of the next head: 1 after a lost head, because its file is then empty, or was refused earlier.
    private func nextTurn(after written: AuditHead?) throws(CaptureError) -> UInt64 {
        let turn = written?.turn ?? 0
        guard turn < .max else {
            throw StoreFailure.lost(head.path, "the counter in audit.head has reached its maximum")
        }
        return turn + 1
    }

    /// The extent of the log in the database.
    static func extent(_ db: borrowing SQLiteConnection) throws -> AuditExtent {
        let anchor = try link(db, "SELECT anchor_number, anchor_hash FROM state") ?? .origin
        let last = try link(db, "SELECT number, hash FROM audit ORDER BY number DESC LIMIT 1")
        return AuditExtent(anchor: anchor, last: last ?? anchor)
    }

    /// The hash of a line: SHA-256 over a tag, its number, the hash before it, and its text.
    static func hash(number: Int64, previous: String, event: String) throws(CaptureError) -> String {
        try SHA256.digest(of: "capturegate-audit-1\n\(number)\n\(previous)\n\(event)".utf8)
    }

    /// The text of a line: JSON with sorted keys, so that an event always has the same hash.
    static func text(of event: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(event), as: UTF8.self)
    }

    /// The number and the hash in the first row of a query; a number that no line has is an error.
    private static func link(_ db: borrowing SQLiteConnection, _ sql: String) throws -> AuditLink? {
        try db.row(sql).map { row in
            guard let number = row[0].integer, let hash = row[1].text else {
                throw SQLiteError.corrupt("the audit log has a line without a number")
            }
            guard AuditLink.numbers.contains(number) else {
                throw SQLiteError.corrupt("the audit log has a line with the invalid number \(number)")
            }
            return AuditLink(number: number, hash: hash)
        }
    }
}

/// The check that a store is what its last change left. Three things must agree: the end of the log by the head file, the
/// digest of the state by the last line, and the state in the tables.
///
/// One difference is legal: the head is written before the commit, so a process that was killed between the two leaves the
/// state before. Anything older differs more: one file of a backup, or a database that lost its write-ahead log.
extension AuditChain {
    /// The state that the store decides by.
    ///
    /// - Throws: `.store` if anything was lost or changed since the last change.
    func confirmed(_ db: borrowing SQLiteConnection) throws -> DecisionState {
        var written = try head.read()
        for _ in 0..<10 {
            let (state, tail) = try db.inSnapshot { (try DecisionState(db), try AuditTail(db)) }
            guard let loss = loss(of: state, tail, against: written) else { return state }
            // Another process may have committed since the head was read; then there is a newer head.
            let newer = try head.read()
            guard newer != written else { throw StoreFailure.lost(head.path, loss) }
            if self.loss(of: state, tail, against: newer) == nil { return state }
            written = newer
        }
        // Other processes change the store faster than this one can read it: stop them for one read.
        return try db.inStandstill { try confirm(db) }
    }

    /// The same inside a transaction that has the lock. Every change begins with it: the new line would otherwise hide a loss.
    @discardableResult
    func confirm(_ db: borrowing SQLiteConnection) throws -> DecisionState {
        let (state, tail) = (try DecisionState(db), try AuditTail(db))
        if let loss = loss(of: state, tail, against: try head.read()) { throw StoreFailure.lost(head.path, loss) }
        return state
    }

    /// Runs a change, and settles the head if it fails: the head may still mark the previous change as possibly uncommitted.
    func settling(_ db: borrowing SQLiteConnection, _ change: () throws -> Void) throws {
        do {
            try change()
        } catch {
            try? heal(db)
            throw error
        }
    }

    /// Settles the head left by a killed process.
    func heal(_ db: borrowing SQLiteConnection) throws {
        if let written = try head.read(), !written.isSettled { settle(db) }
    }

    /// The difference between a store and what its last change left, as half a sentence; `nil` without one.
    private func loss(of state: DecisionState, _ tail: AuditTail, against written: AuditHead?) -> String? {
        let last = tail.extent.last.number
        if let loss = AuditChain.loss(of: tail.extent, against: written, isInitial: state.isInitial) { return loss }
        // Before the first change there is no line to compare with.
        if tail.extent.last == .origin, state.isInitial { return nil }
        guard tail.isIntact else { return "line \(last), the last of its log, was changed" }
        guard tail.state == state.digest else {
            return "its permissions were changed after line \(last), the last of its log"
        }
        return nil
    }

    /// The difference between the log's extent and the one that the head names, as half a sentence.
    static func loss(of found: AuditExtent, against written: AuditHead?, isInitial: Bool) -> String? {
        guard let written else {
            return found.last == .origin && isInitial ? nil : "its file audit.head is missing or unreadable"
        }
        if written.names(found) { return nil }
        let (known, last) = (written.after.last.number, found.last.number)
        if known > last {
            return "audit.head has line \(known), but the database ends at line \(last): later decisions are lost"
        }
        if known < last {
            return "the database has line \(last), but audit.head is older and ends at line \(known)"
        }
        return "audit.head belongs to another database"
    }
}

/// End of the log as it is in the database.
struct AuditTail: Sendable {
    let extent: AuditExtent
    /// True if the last line is the one that was written, by its own hash; false without a line.
    let isIntact: Bool
    /// The digest of the state that the last line left; `nil` for a line without one.
    let state: String?

    init(_ db: borrowing SQLiteConnection) throws {
        extent = try AuditChain.extent(db)
        let row = try db.row("SELECT number, event, previous, hash FROM audit ORDER BY number DESC LIMIT 1")
        let entry = try row.map { try AuditEntry(undecoded: $0) }
        isIntact =
            try entry.map { try $0.hash == AuditChain.hash(number: $0.number, previous: $0.previous, event: $0.text) }
            ?? false
        state = entry.flatMap { AuditRecord.state(in: $0.text) }
    }
}

/// The position of a line in the chain: its number, and the hash that covers it and all lines before.
struct AuditLink: Hashable, Sendable {
    let number: Int64
    /// 64 lower-case hexadecimal digits.
    let hash: String

    /// The beginning of every chain, before line 1.
    static let origin = AuditLink(number: 0, hash: String(repeating: "0", count: 64))

    /// Valid numbers of lines, and 0 for none. A thousand lines a second reach the end in 146 million years. A flipped bit may
    /// put a number beyond; it is refused, so that no sum of two numbers overflows.
    static let numbers: ClosedRange<Int64> = 0...(1 << 62)

    /// - Throws: `.store` at the end of all numbers.
    func nextNumber() throws(CaptureError) -> Int64 {
        guard number < AuditLink.numbers.upperBound else {
            throw StoreFailure.error(
                "The audit log is full: its last line number is \(number).", errno: Errno.overflow.number,
                "Move the permission database away to start an empty one.")
        }
        return number + 1
    }
}

/// Extent of a log: from after `anchor`, the last line that retention dropped, to `last`.
struct AuditExtent: Hashable, Sendable {
    let anchor: AuditLink
    let last: AuditLink
}
