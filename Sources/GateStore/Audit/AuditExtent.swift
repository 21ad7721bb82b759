/// How far a log reaches: from behind `anchor`, the last line that retention dropped, to `last`.
struct AuditExtent: Hashable, Sendable {
    let anchor: AuditLink
    let last: AuditLink
}
