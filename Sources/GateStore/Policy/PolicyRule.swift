import Gate

/// One rule of a policy file. A condition that is `nil` is always met.
struct PolicyRule: Hashable, Sendable {
    enum Effect: String, Hashable, Sendable, CaseIterable {
        case allow, deny, ask
    }

    let effect: Effect
    let origin: PolicyOrigin
    var capabilities: Set<CapabilityName>?
    var level: AccessLevel?
    var devices: Set<DeviceID>?
    var users: Set<UInt32>?
    var groups: Set<UInt32>?
    var executables: Set<String>?
    var applications: Set<ApplicationID>?
    /// Nanoseconds since 1970 on the wall clock.
    var until: Int64?
    var reason: String?

    init(_ effect: Effect, origin: PolicyOrigin) {
        self.effect = effect
        self.origin = origin
    }
}

extension PolicyRule {
    /// True if every condition except the date is met.
    func matches(_ subject: Subject, _ query: PolicyQuery) -> Bool {
        matches(query) && matches(subject)
    }

    /// True before the rule's end; `nil` if the clock is before it, but not the latest time that the store has seen.
    func isInForce(_ query: PolicyQuery) -> Bool? {
        guard let until else { return true }
        guard query.at.wallNanoseconds < until else { return false }
        return query.latestSinceEpoch < .nanoseconds(until) ? true : nil
    }

    /// The verdict on a capture that the rule matches.
    func verdict(on capability: CapabilityName) -> PolicyVerdict {
        switch effect {
        case .ask: .ask
        case .allow: .allow(origin, until: until.map { .nanoseconds($0) })
        case .deny: .deny(restriction(of: capability))
        }
    }

    /// Conditions on the capture.
    private func matches(_ query: PolicyQuery) -> Bool {
        capabilities?.contains(query.capability) ?? true
            && level.map { covers(query, $0) } ?? true
            && devices.map { names(query, $0) } ?? true
    }

    /// A denial also covers the device's other ids; a permission covers only the named id.
    private func names(_ query: PolicyQuery, _ devices: Set<DeviceID>) -> Bool {
        if devices.contains(query.device) { return true }
        guard effect == .deny else { return false }
        return !devices.isDisjoint(with: query.aliases) || query.mayBeAny && !devices.allSatisfy(\.isBuiltIn)
    }

    /// A permission includes the lower levels, a denial or a question the higher ones, and levels that the capability does not
    /// have.
    private func covers(_ query: PolicyQuery, _ named: AccessLevel) -> Bool {
        let isKnown = query.capability.has(query.level)
        return effect == .allow ? isKnown && query.level <= named : !isKnown || query.level >= named
    }

    /// Conditions on the capturing program.
    private func matches(_ subject: Subject) -> Bool {
        users?.contains(subject.userID) ?? true
            && groups.map { !$0.isDisjoint(with: subject.groupIDs) } ?? true
            && executables?.contains(subject.executable.path) ?? true
            && applications.map { names in subject.application.map(names.contains) ?? false } ?? true
    }

    /// The refusal shown to the person: the administrator's reason, and the rule's file and line.
    private func restriction(of capability: CapabilityName) -> Restriction {
        let why = reason.map { ": \($0)" } ?? ""
        return Restriction(
            cause: .policy(origin),
            reason:
                "The administrator does not allow the \(capability) (\(origin.file), line \(origin.line))\(why)",
            remedies: [
                Remedy("Ask the administrator to change the rule at line \(origin.line) of \(origin.file).")
            ])
    }
}
