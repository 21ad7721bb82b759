/// What the administrator's rules are, in short.
///
/// *thread-safe*
package enum PolicySummary: Hashable, Sendable {
    /// No folder: the person decides everything.
    case none
    /// So many rules, in these files in the order in which they are read.
    case rules(Int, files: [String])
    /// They can't be read or understood, or vanished: nothing is allowed.
    case unreadable([PolicyDiagnostic])
}
