import Gate
import LinuxSystem

extension AuditLog {
    /// Reads the whole log and finds the first line that was changed, is missing or was cut off.
    ///
    /// A process that was killed in the middle of a change leaves no fault. Lines that are appended meanwhile are left to the
    /// next verification.
    ///
    /// - Throws: `.store` if the log can't be read; a fault is not an error.
    package func verify() throws(CaptureError) -> AuditReport {
        let chain = AuditChain(headPath: store.folder.headPath)
        // No process may be between head and commit while the two are compared. The long read after it blocks nobody.
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

    /// Captures that ended without a line. A process may have written its line after the scan and then ended, so the lines
    /// since the scan are read once the process is known to be gone.
    private func unfinished(_ scan: AuditScan) throws(CaptureError) -> [Int64] {
        var captures = scan.captures
        let gone = captures.unfinished { $0.isGone(since: $1) }
        guard !gone.isEmpty, let last = scan.last, last < .max else { return gone }
        for entry in try entries(from: last + 1) { captures.add(entry.number, entry.text) }
        let open = captures.unfinished { _, _ in true }
        return gone.filter(open.contains)
    }

    /// A difference between the present state and the one recorded with the last line.
    private static func faultOfDecisions(_ db: borrowing SQLiteConnection) throws -> AuditFault? {
        // Lines of older formats have no digest.
        guard try StoreSchema.found(db) >= 4 else { return nil }
        let (state, tail) = (try DecisionState(db), try AuditTail(db))
        let last = tail.extent.last
        guard tail.state != state.digest, tail.isIntact || !(last == .origin && state.isInitial) else { return nil }
        return AuditFault(
            .decisions, at: max(1, last.number),
            "The permissions were changed after line \(last.number), the last one.")
    }

    /// A difference between the log and its head file.
    static func fault(between found: AuditExtent, and head: AuditHead?) -> AuditFault? {
        let last = found.last.number
        guard let head else {
            guard last > 0 else { return nil }
            return AuditFault(
                .head, at: last, "The file audit.head, which records the end of the log, is missing or unreadable.")
        }
        if head.names(found) { return nil }
        let expected = head.after
        if expected.last.number > last {
            return AuditFault(
                .cutOff, at: last + 1, "Lines \(last + 1) to \(expected.last.number) were removed from the end.")
        }
        if expected.last != found.last {
            return AuditFault(
                .head, at: min(last, expected.last.number),
                "The log has lines after line \(expected.last.number), the last one according to audit.head.")
        }
        return AuditFault(
            .missing, at: expected.anchor.number + 1,
            "The log starts after line \(found.anchor.number), but should start after line \(expected.anchor.number).")
    }
}

/// One pass over the lines, from the anchor on.
struct AuditScan: Sendable {
    private(set) var lines = 0
    private(set) var first: Int64?
    private(set) var last: Int64?
    private(set) var fault: AuditFault?
    private(set) var captures = CaptureTally()

    /// - Parameter end: the last line to read.
    init(of db: borrowing SQLiteConnection, upTo end: Int64 = .max) throws {
        var link = try AuditChain.extent(db).anchor
        var rows = try db.prepared(
            "SELECT number, event, previous, hash FROM audit WHERE number <= ? ORDER BY number", [.integer(end)])
        while try rows.step() {
            let entry = try AuditEntry(undecoded: rows.row)
            if fault == nil { fault = try AuditScan.fault(of: entry, after: link) }
            // A damaged index may give rows out of order, and the same ones repeatedly.
            guard last.map({ entry.number > $0 }) ?? true else { return }
            captures.add(entry.number, entry.text)
            lines += 1
            first = first ?? entry.number
            last = entry.number
            link = AuditLink(number: entry.number, hash: entry.hash)
        }
    }

    /// The fault of one line, given the line before it.
    private static func fault(of entry: AuditEntry, after link: AuditLink) throws -> AuditFault? {
        let missing = try link.nextNumber()
        guard entry.number >= missing else {
            return AuditFault(
                .changed, at: missing, "Line \(entry.number) is in the place of line \(missing).")
        }
        guard entry.number == missing else {
            return AuditFault(
                .missing, at: missing,
                missing == entry.number - 1
                    ? "Line \(missing) is missing." : "Lines \(missing) to \(entry.number - 1) are missing.")
        }
        let hash = try AuditChain.hash(number: entry.number, previous: entry.previous, event: entry.text)
        guard entry.hash == hash, entry.previous == link.hash else {
            return AuditFault(.changed, at: entry.number, "Line \(entry.number) was changed.")
        }
        return nil
    }
}

/// The result of verifying an audit log.
///
/// *thread-safe*
package struct AuditReport: Hashable, Sendable {
    /// The number of lines.
    package let lines: Int
    /// The numbers of the first and the last line; `nil` in an empty log.
    package let first: Int64?
    package let last: Int64?
    /// The first fault from the beginning of the log.
    package let fault: AuditFault?
    /// Numbers of the lines at which captures began that have no end in the log, though their process is gone: it was killed,
    /// or could not write. That is no fault of the log. A process that can't be seen from here counts as still capturing, and
    /// lines of programs before format 4 do not name their process.
    package let unfinished: [Int64]

    package var isIntact: Bool { fault == nil }

    package init(lines: Int, first: Int64?, last: Int64?, fault: AuditFault?, unfinished: [Int64] = []) {
        self.unfinished = unfinished
        self.lines = lines
        self.first = first
        self.last = last
        self.fault = fault
    }
}

/// A fault of an audit log: somebody tampered with it, or a disk lost a part of it.
///
/// *thread-safe*
package struct AuditFault: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable, Codable {
        /// The line differs from the one that was written.
        case changed
        /// Lines from this number on are missing before a later one.
        case missing
        /// Lines from this number on are missing at the end.
        case cutOff
        /// The head file is missing, or belongs to another log.
        case head
        /// The decisions differ from those recorded with the last line.
        case decisions
    }

    package let kind: Kind
    /// The line at which it begins.
    package let number: Int64
    /// One sentence.
    package let message: String

    package init(_ kind: Kind, at number: Int64, _ message: String) {
        self.kind = kind
        self.number = number
        self.message = message
    }
}
