import CaptureBase

/// Decides from what is known at one instant. Pure: it reads no clock, no store and no file.
///
/// In this order, and the first that speaks decides: who asks is unknown · the level is unknown · kill switch · policy denies or can't be read ·
/// the node's permissions · policy allows · what is stored. Of what is stored and in force:
///
/// - a denial speaks of every level; it outweighs what was decided before it, and, where it names the device, also a
///   later yes to "any device";
/// - of the allows left, one that is high enough decides, a lasting one before a `once`, the device's own before `any`;
/// - an allow to an executable whose bytes have changed counts as no record, and is named in the question.
struct AuthorizationRules: Sendable {
    let subject: Result<Subject, CaptureError>
    private(set) var decisions: [Decision]
    let killSwitches: Set<CapabilityName>
    /// Its wall time does not go before the latest one the store has seen: what is allowed counts by it.
    let now: GateInstant
    /// The clock as it is: what is denied counts by it.
    let clock: GateInstant

    init(subject: Result<Subject, CaptureError>, snapshot: StoreSnapshot, now: GateInstant) {
        self.subject = subject
        // A yes at a level that lies was given to what its name says, and would allow what its rank says.
        decisions = snapshot.decisions.filter { $0.verdict == .deny || $0.capability.has($0.level) }
        killSwitches = snapshot.killSwitches
        clock = now
        self.now = now.notBefore(wall: snapshot.latestWallNanoseconds)
    }

    /// - Parameters:
    ///   - device: the device the request means now; `nil` where there is none.
    ///   - restriction: set where the node's permissions refuse this user.
    ///   - verdict: what the policy says of the request and the device at `now`.
    func status(
        of request: DeviceRequest, on device: DeviceID?, restriction: Restriction?, verdict: PolicyVerdict
    ) -> AuthorizationStatus {
        let subject: Subject
        switch self.subject {
        case .success(let known): subject = known
        case .failure(let error): return .restricted(.unknownSubject(error))
        }
        guard request.capability.has(request.level) else { return .restricted(.unknownLevel(request)) }
        if killSwitches.contains(request.capability) { return .restricted(.killSwitch(request.capability)) }
        if case .deny(let restriction) = verdict { return .restricted(restriction) }
        if let restriction { return .restricted(restriction) }
        return allowed(by: verdict, request, on: device, to: subject).map { .authorized($0) }
            ?? stored(request, on: device, about: subject)
    }

    /// The stored denial that names another id of the same hardware, unless a newer yes names it as well.
    /// - Parameter status: what was found for its own; an administrator's yes stays one.
    func denial(
        of request: DeviceRequest, as alias: DeviceID, instead status: AuthorizationStatus
    ) -> AuthorizationStatus? {
        guard case .success(let subject) = subject, status.severity <= 1 else { return nil }
        if case .policy = status.grant?.decision.decidedBy { return nil }
        let named = AuthorizationRules(self, naming: alias).stored(request, on: alias, about: subject)
        if case .denied = named { return named }
        return nil
    }

    /// The devices of this machine that some denial names.
    func deniedDevices(of capability: CapabilityName) -> [DeviceID] {
        decisions.compactMap { decision in
            guard decision.verdict == .deny, decision.capability == capability, case .id(let id) = decision.device,
                !id.isBuiltIn
            else { return nil }
            return id
        }
    }

    /// The same with the decisions alone that name a device; a yes for once is for what captures under that name.
    private init(_ rules: AuthorizationRules, naming device: DeviceID) {
        self = rules
        decisions.removeAll { $0.device != .id(device) || $0.verdict == .allow && $0.lifetime == .once }
    }

    /// The grant a policy's yes amounts to; `nil` if it says nothing or its date has passed.
    private func allowed(
        by verdict: PolicyVerdict, _ request: DeviceRequest, on device: DeviceID?, to subject: Subject
    ) -> Grant? {
        guard case .allow(let origin, let until) = verdict else { return nil }
        var lifetime = Lifetime.always
        if let until {
            guard until > now.wallNanoseconds else { return nil }
            lifetime = .until(now.advanced(by: until - now.wallNanoseconds))
        }
        return Grant(
            Decision(
                verdict: .allow, subject: subject, capability: request.capability, level: request.level,
                device: device.map { .id($0) } ?? request.device, lifetime: lifetime, decidedBy: .policy(origin),
                decidedAt: now))
    }
}
