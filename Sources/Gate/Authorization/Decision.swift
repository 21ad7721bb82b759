/// A decision about a subject and a capability.
///
/// *thread-safe*
public struct Decision: Hashable, Sendable, Codable {
    /// Yes or no.
    public enum Verdict: String, Hashable, Sendable, Codable {
        case allow, deny
    }

    /// The store's number; `nil` for a policy file's decision and before it is stored.
    public let id: Int64?
    public let verdict: Verdict
    public let subject: Subject
    public let capability: CapabilityName
    public let level: AccessLevel
    public let device: DeviceSelector
    public let lifetime: Lifetime
    public let decidedBy: Decider
    public let decidedAt: GateInstant

    public init(
        id: Int64? = nil, verdict: Verdict, subject: Subject, capability: CapabilityName, level: AccessLevel,
        device: DeviceSelector, lifetime: Lifetime, decidedBy: Decider, decidedAt: GateInstant
    ) {
        self.id = id
        self.verdict = verdict
        self.subject = subject
        self.capability = capability
        self.level = level
        self.device = device
        self.lifetime = lifetime
        self.decidedBy = decidedBy
        self.decidedAt = decidedAt
    }
}

/// Origin of a decision.
///
/// *thread-safe*
public enum Decider: Hashable, Sendable, Codable {
    /// A person, answering the named prompter.
    case person(prompter: String)
    /// A person, with a command.
    case command
    /// The administrator, with a rule of a policy file.
    case policy(PolicyOrigin)
    /// The system itself, which allows it by such as the permissions of a directory. Never stored.
    case system
}

/// The rule of a policy file that decided.
///
/// *thread-safe*
public struct PolicyOrigin: Hashable, Sendable, Codable {
    /// Path of the policy file.
    public let file: String
    /// Line in the file, 1 or more.
    public let line: Int

    public init(file: String, line: Int) {
        self.file = file
        self.line = line
    }
}

/// A decision that allows. Its members are the decision's own.
///
/// *thread-safe*
@dynamicMemberLookup
public struct Grant: Hashable, Sendable {
    public let decision: Decision

    /// `nil` if the decision denies.
    public init?(_ decision: Decision) {
        guard decision.verdict == .allow else { return nil }
        self.decision = decision
    }

    public subscript<Value>(dynamicMember path: KeyPath<Decision, Value>) -> Value { decision[keyPath: path] }
}

/// Duration of a decision.
///
/// *thread-safe*
public enum Lifetime: Hashable, Sendable, Codable {
    /// One capture; used up when it starts, also when it crashes at once.
    case once
    /// Until the session ends.
    case session(LoginSession)
    /// Until a moment has passed: for a permission on either clock, for a denial on each clock that can show it.
    case until(GateInstant)
    /// Until it is revoked.
    case always

    /// True for one that ends with a login session.
    var isSession: Bool { if case .session = self { true } else { false } }
}
