import CaptureBase

/// Authorization rules for one instant. Pure: they read no clock, no store and no file.
///
/// The first of these that applies decides: the subject is unknown · the level is unknown · kill switch · policy denies
/// or can't be read · the node's permissions · policy allows · the stored decisions. Of the stored ones in force:
///
/// - a denial covers every level; it outweighs earlier decisions, and, if it names the device, also a later yes to "any
///   device";
/// - of the allows left, one that is high enough decides, a lasting one before a `once`, the device's own before `any`;
/// - an allow for an executable whose bytes have changed counts as no record, and is mentioned in the question, unless root
///   alone could change them.
struct AuthorizationRules: Sendable {
    let subject: Result<Subject, CaptureError>
    private(set) var decisions: [Decision]
    let killSwitches: Set<CapabilityName>
    /// Present time, not before the latest wall time that the store has seen: permissions expire by it.
    let now: GateInstant
    /// Present time by the clocks themselves: denials expire by it.
    let clock: GateInstant

    init(subject: Result<Subject, CaptureError>, snapshot: StoreSnapshot, now: GateInstant) {
        self.subject = subject
        // A yes whose level has a false rank was given to its name, and would allow by its rank.
        decisions = snapshot.decisions.filter { $0.verdict == .deny || $0.capability.has($0.level) }
        killSwitches = snapshot.killSwitches
        clock = now
        self.now = now.notBefore(wall: snapshot.latestSinceEpoch.exactNanoseconds)
    }

    /// Status of a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - device: The device that it means now; `nil` if none exists.
    ///   - restriction: Set if the node's permissions refuse this user.
    ///   - verdict: The policy's verdict on request and device at `now`.
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

    /// Stored denial that names another id of the same hardware, unless a newer permission names it as well.
    /// - Parameters:
    ///   - request: The request.
    ///   - alias: The other id.
    ///   - status: Status found for the device's own id; an administrator's permission takes precedence.
    func denial(
        of request: DeviceRequest, as alias: DeviceID, instead status: AuthorizationStatus
    ) -> AuthorizationStatus? {
        guard case .success(let subject) = subject, status.severity <= 1 else { return nil }
        if case .policy = status.grant?.decision.decidedBy { return nil }
        let named = AuthorizationRules(self, naming: alias).stored(request, on: alias, about: subject)
        if case .denied = named { return named }
        return nil
    }

    /// This machine's devices that some denial names.
    func deniedDevices(of capability: CapabilityName) -> [DeviceID] {
        decisions.compactMap { decision in
            guard decision.verdict == .deny, decision.capability == capability, case .id(let id) = decision.device,
                !id.isBuiltIn
            else { return nil }
            return id
        }
    }

    /// The same rules with the decisions alone that name a device. A yes for once is for captures under that name only.
    private init(_ rules: AuthorizationRules, naming device: DeviceID) {
        self = rules
        decisions.removeAll { $0.device != .id(device) || $0.verdict == .allow && $0.lifetime == .once }
    }

    /// Grant for a policy's yes; `nil` if the policy says nothing or its date has passed.
    private func allowed(
        by verdict: PolicyVerdict, _ request: DeviceRequest, on device: DeviceID?, to subject: Subject
    ) -> Grant? {
        guard case .allow(let origin, let until) = verdict else { return nil }
        var lifetime = Lifetime.always
        if let until = until?.exactNanoseconds {
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

extension AuthorizationRules {
    /// Status from the stored decisions.
    func stored(_ request: DeviceRequest, on device: DeviceID?, about subject: Subject) -> AuthorizationStatus {
        let inForce = decisions.filter { isInForce($0, request, on: device, about: subject) }
        let denials = inForce.filter { $0.verdict == .deny }
        let standing = inForce.compactMap(Grant.init).filter { grant in
            !denials.contains { $0.outweighs(grant.decision) }
        }
        let unchanged = standing.filter { $0.subject.executable.isStill(subject.executable) }
        if let best = best(of: unchanged, for: request.level) { return .authorized(best) }
        if let old = standing.max(by: { $1.decision.isNewer(than: $0.decision) }) {
            return .notDetermined(previous: old)
        }
        if let denial = denials.max(by: { $1.isNewer(than: $0) }) { return .denied(denial) }
        return .notDetermined()
    }

    /// True for a decision that is about the request and has not run out.
    private func isInForce(
        _ decision: Decision, _ request: DeviceRequest, on device: DeviceID?, about subject: Subject
    ) -> Bool {
        applies(decision, of: request, on: device, to: subject)
            && !decision.hasRunOut(at: clock, latest: now.wallNanoseconds)
    }

    /// True if a decision is about a request, whatever the clocks say.
    func applies(
        _ decision: Decision, of request: DeviceRequest, on device: DeviceID?, to subject: Subject
    ) -> Bool {
        decision.capability == request.capability && decision.subject.matches(subject)
            && decision.covers(request.device, now: device) && decision.lifetime.isOf(subject.session)
    }

    /// Best grant: high enough before too low, then lasting before `once`, then the device's own, then the newest; of
    /// those too low the highest.
    private func best(of grants: [Grant], for level: AccessLevel) -> Grant? {
        grants.max { preference($0, level) < preference($1, level) }
    }

    private func preference(_ grant: Grant, _ level: AccessLevel) -> (Int, Int, Int, Int64) {
        (
            min(grant.level.rank, level.rank), grant.lifetime == .once ? 0 : 1, grant.device == .any ? 0 : 1,
            grant.id ?? grant.decidedAt.wallNanoseconds
        )
    }
}

extension StoreSnapshot {
    /// Stored denials of single devices that a permission includes, by that id or another one. They take precedence over it.
    ///
    /// - Parameters:
    ///   - grant: the permission.
    ///   - devices: all ids of the devices that it includes.
    ///   - now: the present time.
    package func denied(before grant: Decision, of devices: [DeviceID], at now: GateInstant) -> [Decision] {
        decisions.filter { denial in
            guard case .id(let id) = denial.device else { return false }
            return denial.verdict == .deny && denial.capability == grant.capability && denial.device != grant.device
                && (grant.device == .any || devices.contains(id)) && denial.subject.matches(grant.subject)
                && denial.lifetime.isOf(grant.subject.session) && !hasRunOut(denial, at: now)
        }
    }
}

extension Lifetime {
    /// True if it can apply in a session. A decision for another session does not apply, nor one for a session that can't be
    /// identified.
    fileprivate func isOf(_ session: LoginSession) -> Bool {
        guard case .session(let granted) = self else { return true }
        return granted == session && session.isIdentified
    }
}

extension Decision {
    /// True if this denial overrides `allow` completely: it is newer, or it names the device and the permission does not.
    func outweighs(_ allow: Decision) -> Bool {
        isNewer(than: allow) || (device != .any && allow.device == .any)
    }

    /// True for the later decision. The store numbers decisions in their order; without numbers the wall clock must do.
    func isNewer(than other: Decision) -> Bool {
        guard let id, let otherID = other.id else {
            return decidedAt.wallNanoseconds > other.decidedAt.wallNanoseconds
        }
        return id > otherID
    }

    /// True if it covers the device that a request means now; without a device, the request's own words.
    func covers(_ requested: DeviceSelector, now resolved: DeviceID?) -> Bool {
        if let resolved { return device.covers(resolved) }
        return switch requested {
        case .any: device == .any
        case .id(let id): device.covers(id)
        }
    }
}
