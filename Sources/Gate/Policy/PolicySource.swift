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
