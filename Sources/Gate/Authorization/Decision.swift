/// What somebody decided about a subject and a capability.
///
/// *thread-safe*
public struct Decision: Hashable, Sendable, Codable {
    public enum Verdict: String, Hashable, Sendable, Codable {
        case allow, deny
    }

    /// The store's number of it; `nil` for a decision of a policy file and before it is stored.
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

/// Who decided.
public enum Decider: Hashable, Sendable, Codable {
    /// A person, answering the named prompter.
    case person(prompter: String)
    /// A person, with a command.
    case command
    /// The administrator, with a rule of a policy file.
    case policy(PolicyOrigin)
    /// Nobody: the system itself allows it, such as the permissions of a folder. Never stored.
    case system
}

/// The rule of a policy file that decided.
public struct PolicyOrigin: Hashable, Sendable, Codable {
    public let file: String
    /// 1 upwards.
    public let line: Int

    public init(file: String, line: Int) {
        self.file = file
        self.line = line
    }
}

/// A decision that allows.
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

/// How long a decision holds.
///
/// *thread-safe*
public enum Lifetime: Hashable, Sendable, Codable {
    /// One capture; used up when it starts, also when it crashes at once.
    case once
    /// Until the session ends.
    case session(LoginSession)
    /// Until both clocks agree that the moment has not come.
    case until(GateInstant)
    case always
}
