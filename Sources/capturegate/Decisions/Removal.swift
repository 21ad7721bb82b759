import CaptureGate
import GateStore

/// Takes decisions out of the store and tells which.
struct GrantRemoval {
    let store: SQLiteGrantStore
    /// The word for it in the audit log.
    let reason: String

    /// Decisions that were used up count too: a capture that runs on one ends when it is removed.
    func candidates() throws(CaptureError) -> [Decision] {
        let snapshot = try store.snapshot()
        return snapshot.decisions + (snapshot.consumed ?? [])
    }

    /// - Returns: `nil` where there was nothing to remove.
    func remove(_ decisions: [Decision], about subject: Subject?) throws(CaptureError) -> StoreCommit? {
        guard let first = decisions.first else { return nil }
        let ids = decisions.compactMap(\.id)
        let isOne = decisions.allSatisfy { $0.capability == first.capability }
        let event = AuditEvent(
            .removal, at: SystemGateClock().now, subject: subject, capability: isOne ? first.capability : nil,
            devices: decisions.flatMap(\.device.ids),
            detail: "\(reason): \(ids.map { "#\($0)" }.joined(separator: ", "))")
        return try store.remove(ids, audit: event)
    }

    /// A document, or a line for each decision.
    static func tell(_ commit: StoreCommit?, json: Bool) throws(StreamFailure) {
        let removed = commit?.decisions ?? []
        if json {
            let document: JSONValue = [
                "removed": .array(removed.map(\.json)),
                "committed_ns": commit.map { .integer($0.committedNanoseconds) } ?? .null,
            ]
            return try StandardStream.output.line(document.text)
        }
        let lines = removed.map { "removed #\($0.id ?? 0) \($0.phrase): \($0.subject.executable.path.visible)" }
        try StandardStream.output.lines(lines.isEmpty ? ["Nothing was granted or denied."] : lines)
    }
}
