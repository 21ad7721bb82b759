import GRDB
import Gate

/// One reading of the lines, from the anchor on.
struct AuditScan: Sendable {
    private(set) var lines = 0
    private(set) var first: Int64?
    private(set) var last: Int64?
    private(set) var fault: AuditFault?
    private(set) var captures = CaptureTally()

    /// - Parameter end: the last line to read.
    init(of db: Database, upTo end: Int64 = .max) throws {
        var link = try AuditChain.extent(db).anchor
        let rows = try Row.fetchCursor(
            db, sql: "SELECT number, event, previous, hash FROM audit WHERE number <= ? ORDER BY number",
            arguments: [end])
        while let row = try rows.next() {
            let entry = try AuditEntry(undecoded: row)
            if fault == nil { fault = try AuditScan.fault(of: entry, after: link) }
            // Rows out of their order may come again and again.
            guard last.map({ entry.number > $0 }) ?? true else { return }
            captures.add(entry.number, entry.text)
            lines += 1
            first = first ?? entry.number
            last = entry.number
            link = AuditLink(number: entry.number, hash: entry.hash)
        }
    }

    private static func fault(of entry: AuditEntry, after link: AuditLink) throws -> AuditFault? {
        let missing = try link.nextNumber()
        guard entry.number >= missing else {
            return AuditFault(
                .changed, at: missing, "Line \(entry.number) stands where line \(missing) belongs.")
        }
        guard entry.number == missing else {
            return AuditFault(
                .missing, at: missing,
                missing == entry.number - 1
                    ? "Line \(missing) is missing." : "Lines \(missing) to \(entry.number - 1) are missing.")
        }
        let hash = try AuditChain.hash(number: entry.number, previous: entry.previous, event: entry.text)
        guard entry.hash == hash, entry.previous == link.hash else {
            return AuditFault(.changed, at: entry.number, "Line \(entry.number) is not the one that was written.")
        }
        return nil
    }
}
