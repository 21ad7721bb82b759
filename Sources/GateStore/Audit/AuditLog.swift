import FoundationEssentials
import Gate
import LinuxSystem

/// The audit log of a store: every decision, refusal, start, stop and revocation, one line each, chained by hashes.
///
/// It shows changes, removals and cuts made by accident, or by somebody unaware of the head file. Anyone who may write both
/// files as this user can rewrite both: the log does not guard against that.
///
/// *thread-safe*; calls block for 2 s at most: never call them on the cooperative pool.
package struct AuditLog: Sendable {
    let store: SQLiteGrantStore

    /// Lines from a number on, in order.
    ///
    /// - Parameters:
    ///   - number: 1 or more; lines dropped by retention are omitted.
    ///   - limit: maximum number of lines.
    /// - Throws: `.store`, with a remedy; also if the lines do not ascend.
    package func entries(from number: Int64 = 1, limit: Int = 1000) throws(CaptureError) -> [AuditEntry] {
        try AuditLog.ascending(
            try fetch("WHERE number >= ? ORDER BY number LIMIT ?", [.integer(number), SQLiteValue(max(0, limit))]),
            from: number)
    }

    /// The last lines, in order.
    ///
    /// - Throws: `.store`, with what to do.
    package func last(_ count: Int) throws(CaptureError) -> [AuditEntry] {
        try AuditLog.ascending(
            try fetch("ORDER BY number DESC LIMIT ?", [SQLiteValue(max(0, count))]).reversed(), from: .min)
    }

    /// Refuses numbers that do not ascend: a reader that continues from the last number would never finish.
    static func ascending(_ entries: [AuditEntry], from first: Int64) throws(CaptureError) -> [AuditEntry] {
        var least = first
        var isFirst = true
        for entry in entries {
            guard isFirst ? entry.number >= least : entry.number > least else {
                throw disorder(entry.number, after: least)
            }
            (least, isFirst) = (entry.number, false)
        }
        return entries
    }

    /// The error for lines that do not ascend.
    private static func disorder(_ number: Int64, after other: Int64) -> CaptureError {
        StoreFailure.error(
            "The audit log is damaged: line \(number) is not in order after line \(other).",
            errno: Errno.illegalByteSequence.number,
            "Find where the damage starts.", .verifyLog)
    }

    /// Calls `handler` after every change of the store (each adds a line) until the observation is released.
    package func observeChanges(_ handler: @escaping @Sendable () -> Void) -> any ChangeObservation {
        store.observeChanges(handler)
    }

    /// The lines of a query. `clause` is text of this program alone, never input from outside.
    private func fetch(_ clause: String, _ values: [SQLiteValue]) throws(CaptureError) -> [AuditEntry] {
        try store.perform { db in
            try db.rows("SELECT number, event, previous, hash FROM audit \(clause)", values)
                .map(AuditEntry.init(decoding:))
        }
    }
}

extension SQLiteGrantStore {
    /// The audit log that is kept with the grants.
    package var audit: AuditLog { AuditLog(store: self) }
}

extension AuditEntry {
    /// Entry with its event; `nil` as event if the text can't be decoded.
    init(decoding row: SQLiteRow) throws {
        let raw = try AuditEntry(undecoded: row)
        let event = try? JSONDecoder().decode(AuditEvent.self, from: Data(raw.text.utf8))
        self.init(number: raw.number, event: event, text: raw.text, previous: raw.previous, hash: raw.hash)
    }

    /// Entry without its event: verification needs only the bytes.
    init(undecoded row: SQLiteRow) throws {
        guard let number = row[0].integer, let text = row[1].text,
            let previous = row[2].text, let hash = row[3].text
        else {
            throw SQLiteError.corrupt("the audit log has a line with an unknown structure")
        }
        self.init(number: number, event: nil, text: text, previous: previous, hash: hash)
    }
}

/// One line of the audit log.
///
/// *thread-safe*
package struct AuditEntry: Hashable, Sendable {
    /// 1 upwards; a missing number is a missing line.
    package let number: Int64
    /// The event; `nil` if the line was changed and can't be read.
    package let event: AuditEvent?
    /// The event as it is stored and hashed, JSON.
    package let text: String
    /// The hash of the line before, 64 lower-case hexadecimal digits.
    package let previous: String
    /// SHA-256 over `capturegate-audit-1`, number, previous hash and text, each but the last ended by a newline.
    package let hash: String

    package init(number: Int64, event: AuditEvent?, text: String, previous: String, hash: String) {
        self.number = number
        self.event = event
        self.text = text
        self.previous = previous
        self.hash = hash
    }
}

extension AuditLog {
    /// Default number of lines that are kept: about 30 MB.
    package static let standardLines = 50_000

    /// Valid numbers of lines to keep. Fewer would lose today's events; more would make `verify` take minutes.
    package static let possibleLines = 100...10_000_000

    /// The number of lines that are kept. The log grows one percent beyond that before the oldest lines are dropped.
    ///
    /// - Throws: `.store`, with what to do.
    package func keptLines() throws(CaptureError) -> Int {
        try store.perform { try AuditLog.keptLines($0) }
    }

    /// Sets the number of lines that are kept, and drops the lines beyond it.
    ///
    /// - Parameters:
    ///   - lines: clamped to `possibleLines`.
    ///   - audit: the line that records who did so.
    /// - Returns: number of dropped lines.
    /// - Throws: `.store`, with what to do; also if the lines to drop have a fault, which would be lost with them.
    package func keep(_ lines: Int, audit: AuditEvent) throws(CaptureError) -> Int {
        let lines = min(max(lines, AuditLog.possibleLines.lowerBound), AuditLog.possibleLines.upperBound)
        _ = try store.commit(audit, decides: false, retains: false) { db in
            try db.run("UPDATE state SET kept_lines = ?", [SQLiteValue(lines)])
            return []
        }
        let dropping = AuditEvent(
            .removal, at: audit.at, subject: audit.subject, detail: "retention: all but the last \(lines) lines dropped"
        )
        return try prune(keeping: lines, audit: dropping)
    }

    /// Drops the oldest lines. The hash of the last dropped line stays as the anchor of the chain, in the database and in the
    /// head file, so that a log cut by anybody else is still detected.
    ///
    /// - Parameters:
    ///   - lines: number of lines to keep, without the one that `audit` adds.
    ///   - audit: the line that records who shortened the log.
    /// - Returns: number of dropped lines; nothing is written if there are none to drop.
    /// - Throws: `.store`, with a remedy; also if the lines to drop have a fault, which would be lost with them.
    package func prune(keeping lines: Int, audit: AuditEvent) throws(CaptureError) -> Int {
        let chain = AuditChain(headPath: store.folder.headPath)
        return try store.perform { try AuditLog.shorten(to: lines, audit, chain, $0) }
    }

    /// Shortens a log that has grown one percent beyond the kept lines; called after each change of a store.
    ///
    /// The change is already committed, and no failure here undoes it. A log that has a fault stays as it is, for `verify`.
    static func retain(after event: AuditEvent, _ chain: AuditChain, _ db: borrowing SQLiteConnection) {
        guard let found = try? AuditChain.extent(db), let kept = try? keptLines(db) else { return }
        guard found.last.number - found.anchor.number > Int64(kept + kept / 100) else { return }
        let dropping = AuditEvent(
            .removal, at: event.at, subject: event.subject,
            detail: "retention: lines up to \(found.last.number - Int64(kept)) dropped")
        _ = try? shorten(to: kept, dropping, chain, db)
    }

    /// The number in the table, or the default if that number is impossible.
    private static func keptLines(_ db: borrowing SQLiteConnection) throws -> Int {
        let found = try db.value("SELECT kept_lines FROM state")?.integer.map(Int.init(clamping:)) ?? standardLines
        // A nonsensical number must not empty the log.
        return possibleLines.contains(found) ? found : standardLines
    }

    /// Drops all but the last lines in one transaction, and records it in the head file.
    private static func shorten(
        to lines: Int, _ event: AuditEvent, _ chain: AuditChain, _ db: borrowing SQLiteConnection
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

    /// The last line to drop, which becomes the anchor; `nil` if there are no more lines than are kept.
    private static func lastToDrop(keeping lines: Int, _ db: borrowing SQLiteConnection) throws -> AuditLink? {
        let row = try db.row(
            "SELECT number, hash FROM audit ORDER BY number DESC LIMIT 1 OFFSET ?", [SQLiteValue(lines)])
        return row.flatMap { row in
            guard let number = row[0].integer, let hash = row[1].text else {
                return nil
            }
            return AuditLink(number: number, hash: hash)
        }
    }

    /// Verifies the lines before dropping them: a fault must not vanish with them.
    private static func drop(
        upTo anchor: AuditLink, _ event: AuditEvent, _ chain: AuditChain, _ db: borrowing SQLiteConnection
    ) throws -> Int {
        if let fault = try AuditScan(of: db, upTo: anchor.number).fault { throw AuditLog.refusal(fault) }
        // The line is appended while the log is whole: the head compares it with the previous extent.
        try chain.append(event, db, droppingUpTo: anchor)
        try db.run("DELETE FROM audit WHERE number <= ?", [.integer(anchor.number)])
        let dropped = db.changes
        try db.run(
            "UPDATE state SET anchor_number = ?, anchor_hash = ?", [.integer(anchor.number), .text(anchor.hash)])
        return dropped
    }

    /// The error of a retention that would drop a fault.
    private static func refusal(_ fault: AuditFault) -> CaptureError {
        StoreFailure.error(
            "The audit log can't be shortened because it is damaged: \(fault.message)",
            errno: Errno.illegalByteSequence.number,
            "Find the cause. To start a new log, move the permission database away.",
            .verifyLog)
    }
}
