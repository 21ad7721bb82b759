import Gate

/// One line of the audit log.
///
/// *thread-safe*
package struct AuditEntry: Hashable, Sendable {
    /// 1 upwards; a number that is missing is a line that is missing.
    package let number: Int64
    /// What happened; `nil` if the line was changed so that it can't be read.
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
