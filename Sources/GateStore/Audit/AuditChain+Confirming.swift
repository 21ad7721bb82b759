import GRDB
import Gate

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
