import CaptureBase

/// Where decisions and the audit log are kept.
///
/// Every call may block for as long as the store's lock is held elsewhere (2 s at most, then it throws), so the gate
/// calls it on a queue of its own, never on the cooperative pool. What a call reported is durable. A call that throws
/// has changed nothing, and whoever wanted to capture must be refused.
///
/// *thread-safe*
public protocol GrantStore: Sendable {
    /// Everything that is decided, in one consistent reading.
    func snapshot() throws(CaptureError) -> StoreSnapshot

    /// Stores decisions, all or none, with the line of the audit log that says so. Each replaces what was decided
    /// before about the same user, executable path, capability and device; but an allow for `once` stands beside the
    /// lasting decision, which holds again when it is used up.
    /// - Returns: the decisions with their numbers, and when they were durable.
    func record(_ decisions: [Decision], audit: AuditEvent) throws(CaptureError) -> StoreCommit

    /// Removes decisions by number, all that still exist.
    func remove(_ ids: [Int64], audit: AuditEvent) throws(CaptureError) -> StoreCommit

    /// Uses up `once` grants, all or none; throws `.notAuthorized` if one is gone already. They move from `decisions` to
    /// `consumed`, where `remove` finds them: removing one ends the capture that runs on it.
    func consume(once ids: [Int64], audit: AuditEvent) throws(CaptureError) -> StoreCommit

    /// Turns all devices of a capability off, or on again, for this user.
    func setKillSwitch(_ capability: CapabilityName, on: Bool, audit: AuditEvent) throws(CaptureError) -> StoreCommit

    /// Appends a line to the audit log.
    func append(_ event: AuditEvent) throws(CaptureError)

    /// Calls `handler` after every change, also of another process, until the observation is released. The handler
    /// runs on a queue of the store, may be called without a change, and must not block.
    func observeChanges(_ handler: @escaping @Sendable () -> Void) -> any ChangeObservation
}

/// Ends an observation when it is released.
public protocol ChangeObservation: AnyObject, Sendable {}

/// One consistent reading of a store.
public struct StoreSnapshot: Sendable {
    public let decisions: [Decision]
    /// Capabilities that are switched off for this user.
    public let killSwitches: Set<CapabilityName>
    /// The latest wall time the store has seen, nanoseconds since 1970: a clock set back does not go before it.
    public let latestWallNanoseconds: Int64
    /// `once` grants that were used up in this boot and not removed since. They allow nothing new.
    public let consumed: [Decision]?

    /// - Parameter consumed: `nil` where the store forgets used-up grants: then only a newer denial, a kill switch or
    ///   the policy ends a capture that runs on one.
    public init(
        decisions: [Decision], killSwitches: Set<CapabilityName>, latestWallNanoseconds: Int64,
        consumed: [Decision]? = nil
    ) {
        self.decisions = decisions
        self.killSwitches = killSwitches
        self.latestWallNanoseconds = latestWallNanoseconds
        self.consumed = consumed
    }
}

/// What a change of the store did.
public struct StoreCommit: Sendable {
    /// The decisions that were stored or removed, with their numbers.
    public let decisions: [Decision]
    /// CLOCK_MONOTONIC nanoseconds when the change was durable.
    public let committedNanoseconds: Int64

    public init(decisions: [Decision], committedNanoseconds: Int64) {
        self.decisions = decisions
        self.committedNanoseconds = committedNanoseconds
    }
}
