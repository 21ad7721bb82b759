import CaptureGate
import GateStore

/// Reads the audit log by pieces that are small enough to hold.
struct LogReader {
    let log: AuditLog

    func last(_ count: Int) throws(CaptureError) -> [AuditEntry] {
        count == 0 ? [] : try log.last(count)
    }

    func all() throws(CaptureError) -> [AuditEntry] {
        try since(1)
    }

    /// Everything from a number on.
    func since(_ number: Int64) throws(CaptureError) -> [AuditEntry] {
        var entries: [AuditEntry] = []
        var next: Int64? = number
        // The lines of a piece ascend, or it throws; behind the highest number there is none.
        while let first = next {
            let piece = try log.entries(from: first, limit: 1000)
            guard let last = piece.last else { break }
            entries += piece
            next = Self.number(after: last)
        }
        return entries
    }

    /// `nil` behind the highest number there is.
    static func number(after entry: AuditEntry) -> Int64? { entry.number < .max ? entry.number + 1 : nil }
}
