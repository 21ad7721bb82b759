/// One line's place in the chain: its number and the hash that covers it and all before it.
struct AuditLink: Hashable, Sendable {
    let number: Int64
    /// 64 lower-case hexadecimal digits.
    let hash: String

    /// Where every chain begins: before line 1.
    static let origin = AuditLink(number: 0, hash: String(repeating: "0", count: 64))
}
