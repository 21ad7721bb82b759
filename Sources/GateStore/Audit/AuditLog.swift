import FoundationEssentials
import Gate
import LinuxSystem

/// The audit log of a store: every decision, refusal, start, stop and revocation, one line each, chained by hashes.
///
/// It shows what was changed, removed or cut off by accident or by somebody who does not know of the head file.
/// Whoever may write both files as this user can also rewrite both: the log does not guard against that.
///
/// *thread-safe*; calls block for 2 s at most: never call them on the cooperative pool.
package struct AuditLog: Sendable {
    let store: SQLiteGrantStore

    /// The lines from a number on, in their order.
    ///
    /// - Parameters:
    ///   - number: 1 upwards; what retention dropped is left out.
    ///   - limit: how many at most.
    /// - Throws: `.store`, with what to do; also where the lines do not ascend.
    package func entries(from number: Int64 = 1, limit: Int = 1000) throws(CaptureError) -> [AuditEntry] {
        try AuditLog.ascending(
            try fetch("WHERE number >= ? ORDER BY number LIMIT ?", [.integer(number), SQLiteValue(max(0, limit))]),
            from: number)
    }

    /// The last lines, in their order.
    ///
    /// - Throws: `.store`, with what to do.
    package func last(_ count: Int) throws(CaptureError) -> [AuditEntry] {
        try AuditLog.ascending(
            try fetch("ORDER BY number DESC LIMIT ?", [SQLiteValue(max(0, count))]).reversed(), from: .min)
    }

    /// Refuses numbers that do not ascend: a reader that goes on from the last number it got would go in a circle.
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
            "The audit log is damaged: line \(number) stands where one behind \(other) belongs.",
            errno: Errno.illegalByteSequence.number,
            "See where it begins.", command: ["capturegate", "log", "--verify"])
    }

    /// Calls `handler` after every change of the store, which always has a line, until the observation is released.
    package func observeChanges(_ handler: @escaping @Sendable () -> Void) -> any ChangeObservation {
        store.observeChanges(handler)
    }

    /// The lines of a query, by a statement of this program's own text: `clause` never has anything from outside in
    /// it.
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
    /// With its event, which stays `nil` if the text can't be decoded.
    init(decoding row: SQLiteRow) throws {
        let raw = try AuditEntry(undecoded: row)
        let event = try? JSONDecoder().decode(AuditEvent.self, from: Data(raw.text.utf8))
        self.init(number: raw.number, event: event, text: raw.text, previous: raw.previous, hash: raw.hash)
    }

    /// Without its event: verification needs the bytes alone.
    init(undecoded row: SQLiteRow) throws {
        guard let number = row[0].integer, let text = row[1].text,
            let previous = row[2].text, let hash = row[3].text
        else {
            throw SQLiteError.corrupt("the audit log has a line of another form")
        }
        self.init(number: number, event: nil, text: text, previous: previous, hash: hash)
    }
}

/// One line of the audit log.
///
/// *thread-safe*
package struct AuditEntry: Hashable, Sendable {
    /// 1 upwards; a number that is missing is a line that is missing.
    package let number: Int64
    /// The event; `nil` if the line was changed so that it can't be read.
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
