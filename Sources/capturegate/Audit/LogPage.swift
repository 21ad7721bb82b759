import CaptureGate
import GateStore

/// Reads the audit log by pieces that are small enough to hold.
struct LogPage {
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
        while true {
            let piece = try log.entries(from: entries.last.map { $0.number + 1 } ?? number, limit: 1000)
            guard !piece.isEmpty else { return entries }
            entries += piece
        }
    }
}
