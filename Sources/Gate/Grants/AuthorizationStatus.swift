import CaptureBase

/// Whether a subject may use a capability, as stored and as the administrator wants it.
///
/// *thread-safe*
public enum AuthorizationStatus: Hashable, Sendable {
    /// No record: asking can help. `previous` is a grant to an executable that has changed since.
    case notDetermined(previous: Grant? = nil)
    /// Nobody who could be asked can change it here.
    case restricted(Restriction)
    /// A stored no.
    case denied(Decision)
    case authorized(Grant)
}

/// Why asking can't help.
public struct Restriction: Hashable, Sendable {
    public enum Cause: Hashable, Sendable {
        /// A rule of the administrator.
        case policy(PolicyOrigin)
        /// The policy can't be read or understood; nobody is allowed until it can.
        case policyUnreadable(file: String)
        case killSwitch
        /// The node's owner, group and mode refuse this user.
        case nodePermissions(node: String)
        /// The store can't be read; nobody is allowed until it can.
        case store
        /// The kernel did not say who asks.
        case unknownSubject
        /// The capability has no level of this name and rank.
        case unknownLevel
    }

    public let cause: Cause
    /// One sentence a person can read.
    public let reason: String
    public let remedies: [Remedy]

    public init(cause: Cause, reason: String, remedies: [Remedy]) {
        self.cause = cause
        self.reason = reason
        self.remedies = remedies
    }
}
