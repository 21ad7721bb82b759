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

/// One line for the audit log; the store adds the number and the chain of hashes.
///
/// *thread-safe*
public struct AuditEvent: Hashable, Sendable, Codable {
    public enum Kind: String, Hashable, Sendable, Codable {
        /// Somebody decided, at a prompt, by command or by policy.
        case decision
        /// A capture was refused.
        case refusal
        /// A question ended without an answer.
        case dismissal
        case start
        case stop
        /// A running capture was ended by the gate.
        case revocation
        /// Decisions were removed.
        case removal
        case killSwitch
        /// The store itself was changed: its format, or the latest time it has seen.
        case upkeep
    }

    public let kind: Kind
    public let at: GateInstant
    public let subject: Subject?
    public let capability: CapabilityName?
    public let level: AccessLevel?
    public let devices: [DeviceID]
    /// The decision it rests on.
    public let decision: Int64?
    /// Audio or video frames delivered to the program (`stop`, `revocation`).
    public let frames: UInt64?
    /// Bytes delivered to the program (`stop`, `revocation`).
    public let bytes: UInt64?
    /// What happened, one short sentence.
    public let detail: String

    public init(
        _ kind: Kind, at: GateInstant, subject: Subject?, capability: CapabilityName? = nil, level: AccessLevel? = nil,
        devices: [DeviceID] = [], decision: Int64? = nil, frames: UInt64? = nil, bytes: UInt64? = nil, detail: String
    ) {
        self.kind = kind
        self.at = at
        self.subject = subject
        self.capability = capability
        self.level = level
        self.devices = devices
        self.decision = decision
        self.frames = frames
        self.bytes = bytes
        self.detail = detail
    }
}

/// The administrator's rules.
///
/// *thread-safe*
public protocol PolicySource: Sendable {
    /// What the rules say of a subject and a device. Never throws: what can't be read denies.
    func verdict(for subject: Subject, on query: PolicyQuery) -> PolicyVerdict

    /// Calls `handler` after every change of the rules, until the observation is released.
    func observeChanges(_ handler: @escaping @Sendable () -> Void) -> any ChangeObservation
}

/// What a rule is matched against.
public struct PolicyQuery: Hashable, Sendable {
    public let capability: CapabilityName
    public let level: AccessLevel
    public let device: DeviceID
    /// The device's other ids: a rule that denies and names one of them speaks of it, one that allows does not.
    public let aliases: [DeviceID]
    /// Whether the device may be any one of its capability, as behind a sound server: a rule that denies one of them by its
    /// id speaks of it.
    public let mayBeAny: Bool
    /// The clocks as they are.
    public let at: GateInstant
    /// The latest wall time that the store has seen, nanoseconds since 1970: it ends what allows, and nothing that denies.
    public let latestWallNanoseconds: Int64

    public init(
        capability: CapabilityName, level: AccessLevel, device: DeviceID, aliases: [DeviceID] = [],
        mayBeAny: Bool = false, at: GateInstant, latestWallNanoseconds: Int64 = .min
    ) {
        self.capability = capability
        self.level = level
        self.device = device
        self.aliases = aliases
        self.mayBeAny = mayBeAny
        self.at = at
        self.latestWallNanoseconds = latestWallNanoseconds
    }
}

/// What the administrator's rules say.
public enum PolicyVerdict: Hashable, Sendable {
    /// No rule speaks of it, or one says so: the person decides.
    case ask
    /// Allowed without asking, up to wall time `until` (nanoseconds since 1970), where one is set.
    case allow(PolicyOrigin, until: Int64?)
    case deny(Restriction)
}

/// No rules: the person decides everything.
public struct NoPolicy: PolicySource {
    private final class Silence: ChangeObservation {}

    public init() {}

    public func verdict(for subject: Subject, on query: PolicyQuery) -> PolicyVerdict { .ask }

    public func observeChanges(_ handler: @escaping @Sendable () -> Void) -> any ChangeObservation { Silence() }
}
