import CaptureBase

/// The store of decisions and the audit log.
///
/// Every call may block while another process holds the store's lock (at most 2 s, then it throws), so the gate calls it on a
/// separate queue, never on the cooperative pool. A call that returned is durable. A call that throws has changed nothing, and a
/// capture that needed it must be refused.
///
/// *thread-safe*
public protocol GrantStore: Sendable {
    /// Reads all decisions, in one consistent reading.
    func snapshot() throws(CaptureError) -> StoreSnapshot

    /// Number that every change of the store, by any process, replaces with another one; `nil` if it is unknown. A snapshot with
    /// the same number need not be read again. The default is `nil`.
    var version: Int64? { get }

    /// Stores decisions, all or none, with their line of the audit log. Each replaces earlier decisions about the same user,
    /// executable path, capability and device. But a permission for `once` does not replace a lasting decision, which applies
    /// again when the former is used up.
    /// - Returns: The decisions with their numbers, and the time at which they were durable.
    func record(_ decisions: [Decision], audit: AuditEvent) throws(CaptureError) -> StoreCommit

    /// Removes decisions by number, all that still exist.
    func remove(_ ids: [Int64], audit: AuditEvent) throws(CaptureError) -> StoreCommit

    /// Uses up `once` grants, all or none; throws `.notAuthorized` if one no longer exists. They move from `decisions` to
    /// `consumed`, where `remove` finds them: removing one ends the capture that uses it.
    func consume(once ids: [Int64], audit: AuditEvent) throws(CaptureError) -> StoreCommit

    /// Switches all devices of a capability off, or on again, for this user.
    func setKillSwitch(_ capability: CapabilityName, on: Bool, audit: AuditEvent) throws(CaptureError) -> StoreCommit

    /// Appends a line to the audit log.
    func append(_ event: AuditEvent) throws(CaptureError)

    /// Calls `handler` after every change, also by another process, until the observation is released. The handler runs
    /// on a queue of the store, may be called without a change, and must not block.
    func observeChanges(_ handler: @escaping @Sendable () -> Void) -> any ChangeObservation
}

extension GrantStore {
    public var version: Int64? { nil }
}

/// An observation that ends when it is released.
public protocol ChangeObservation: AnyObject, Sendable {}

/// One consistent reading of a store.
///
/// *thread-safe*
public struct StoreSnapshot: Sendable {
    public let decisions: [Decision]
    /// Capabilities that are switched off for this user.
    public let killSwitches: Set<CapabilityName>
    /// Latest wall time that the store has seen, since 1970: a clock set back does not lower it.
    public let latestSinceEpoch: Duration
    /// `once` grants that were used in this boot and not removed since. They allow nothing new. `nil` if the store forgets
    /// them: then only a newer denial, a kill switch or the policy ends a capture that uses one.
    public let consumed: [Decision]?
    /// The store's version at this reading or before it.
    public let version: Int64?

    /// Makes a snapshot. See ``consumed`` for a store that forgets used-up grants.
    public init(
        decisions: [Decision], killSwitches: Set<CapabilityName>, latestSinceEpoch: Duration,
        consumed: [Decision]? = nil, version: Int64? = nil
    ) {
        self.decisions = decisions
        self.killSwitches = killSwitches
        self.latestSinceEpoch = latestSinceEpoch
        self.consumed = consumed
        self.version = version
    }
}

/// Result of a change of the store.
///
/// *thread-safe*
public struct StoreCommit: Sendable {
    /// The decisions that were stored or removed, with their numbers.
    public let decisions: [Decision]
    /// Time at which the change was durable, on CLOCK_MONOTONIC: a revocation's latency is measured from it.
    public let committed: Duration

    public init(decisions: [Decision], committed: Duration) {
        self.decisions = decisions
        self.committed = committed
    }
}

/// One line of the audit log; the store adds the number and the chain of hashes.
///
/// *thread-safe*
public struct AuditEvent: Hashable, Sendable, Codable {
    /// Kind of event; the raw value is the word in the log.
    public enum Kind: String, Hashable, Sendable, Codable {
        /// A decision at a prompt, by command or by policy.
        case decision
        /// A capture was refused.
        case refusal
        /// A question ended without an answer.
        case dismissal
        /// A capture began.
        case start
        case stop
        /// A running capture was ended by the gate.
        case revocation
        /// Decisions were removed.
        case removal
        case killSwitch
        /// The store itself was changed: its format, or the latest time that it has seen.
        case upkeep
    }

    public let kind: Kind
    public let at: GateInstant
    public let subject: Subject?
    public let capability: CapabilityName?
    public let level: AccessLevel?
    public let devices: [DeviceID]
    /// The decision that it rests on.
    public let decision: Int64?
    /// Audio or video frames delivered to the program (`stop`, `revocation`).
    public let frames: UInt64?
    /// Bytes delivered to the program (`stop`, `revocation`).
    public let bytes: UInt64?
    /// One short sentence about the event.
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
    /// Verdict of the rules on a subject and a device. Never throws: unreadable rules deny.
    func verdict(for subject: Subject, on query: PolicyQuery) -> PolicyVerdict

    /// Calls `handler` after every change of the rules, until the observation is released.
    func observeChanges(_ handler: @escaping @Sendable () -> Void) -> any ChangeObservation
}

/// The facts that a rule is matched against.
///
/// *thread-safe*
public struct PolicyQuery: Hashable, Sendable {
    public let capability: CapabilityName
    public let level: AccessLevel
    public let device: DeviceID
    /// Other ids of the device: a rule that denies one of them denies it, a rule that allows one does not allow it.
    public let aliases: [DeviceID]
    /// True if the device can be any device of its capability, for example through a sound server. A rule that denies one of
    /// them by its id then denies this device.
    public let mayBeAny: Bool
    /// The present clocks.
    public let at: GateInstant
    /// Latest wall time that the store has seen, since 1970: it ends permissions, never denials. The default is the
    /// earliest time there is, which ends nothing.
    public let latestSinceEpoch: Duration

    public init(
        capability: CapabilityName, level: AccessLevel, device: DeviceID, aliases: [DeviceID] = [],
        mayBeAny: Bool = false, at: GateInstant, latestSinceEpoch: Duration = .nanoseconds(Int64.min)
    ) {
        self.capability = capability
        self.level = level
        self.device = device
        self.aliases = aliases
        self.mayBeAny = mayBeAny
        self.at = at
        self.latestSinceEpoch = latestSinceEpoch
    }
}

/// Verdict of the administrator's rules.
///
/// *thread-safe*
public enum PolicyVerdict: Hashable, Sendable {
    /// No rule covers it, or one leaves it to the person.
    case ask
    /// Allowed without asking, until wall time `until` (since 1970), if set.
    case allow(PolicyOrigin, until: Duration?)
    /// Denied, with the rule or the fault as the reason.
    case deny(Restriction)
}

/// An empty policy: the person decides everything.
///
/// *thread-safe*
public struct NoPolicy: PolicySource {
    private final class Silence: ChangeObservation {}

    public init() {}

    public func verdict(for subject: Subject, on query: PolicyQuery) -> PolicyVerdict { .ask }

    public func observeChanges(_ handler: @escaping @Sendable () -> Void) -> any ChangeObservation { Silence() }
}
