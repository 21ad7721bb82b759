/// What the verification of an audit log found.
///
/// *thread-safe*
package struct AuditReport: Hashable, Sendable {
    /// How many lines there are.
    package let lines: Int
    /// The numbers of the first and the last line; `nil` in an empty log.
    package let first: Int64?
    package let last: Int64?
    /// The first fault from the beginning of the log on.
    package let fault: AuditFault?
    /// The lines at which captures began whose end is not in the log, though their process is no more: it was killed, or
    /// could not write. That is no fault of the log's. A process that can't be seen from here counts as one that captures
    /// still, and lines of programs before format 4 do not say which theirs was.
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

/// Where and how somebody tampered with an audit log, or a disk lost a part of it.
///
/// *thread-safe*
package struct AuditFault: Hashable, Sendable {
    package enum Kind: String, Hashable, Sendable, Codable {
        /// The line is not the one that was written.
        case changed
        /// Lines from this number on are missing before a later one.
        case missing
        /// Lines from this number on are missing at the end.
        case cutOff
        /// The head file is missing, or is not this log's.
        case head
        /// The decisions are not those that the last line was written with.
        case decisions
    }

    package let kind: Kind
    /// The line it begins at.
    package let number: Int64
    /// One sentence.
    package let message: String

    package init(_ kind: Kind, at number: Int64, _ message: String) {
        self.kind = kind
        self.number = number
        self.message = message
    }
}
