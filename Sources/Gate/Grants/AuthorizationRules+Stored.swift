extension AuthorizationRules {
    /// What the stored decisions say.
    func stored(_ request: DeviceRequest, on device: DeviceID?, about subject: Subject) -> AuthorizationStatus {
        let inForce = decisions.filter { isInForce($0, request, on: device, about: subject) }
        let denials = inForce.filter { $0.verdict == .deny }
        let standing = inForce.compactMap(Grant.init).filter { grant in
            !denials.contains { $0.outweighs(grant.decision) }
        }
        let unchanged = standing.filter { $0.subject.executable.sha256 == subject.executable.sha256 }
        if let best = best(of: unchanged, for: request.level) { return .authorized(best) }
        if let old = standing.max(by: { $1.decision.isNewer(than: $0.decision) }) {
            return .notDetermined(previous: old)
        }
        if let denial = denials.max(by: { $1.isNewer(than: $0) }) { return .denied(denial) }
        return .notDetermined()
    }

    private func isInForce(
        _ decision: Decision, _ request: DeviceRequest, on device: DeviceID?, about subject: Subject
    ) -> Bool {
        applies(decision, of: request, on: device, to: subject)
            && !decision.hasRunOut(at: clock, latest: now.wallNanoseconds)
    }

    /// Whether a decision is about a request, whatever the clocks say.
    func applies(
        _ decision: Decision, of request: DeviceRequest, on device: DeviceID?, to subject: Subject
    ) -> Bool {
        decision.capability == request.capability && decision.subject.matches(subject)
            && decision.covers(request.device, now: device) && decision.lifetime.isOf(subject.session)
    }

    /// High enough before too low, then a lasting one, then the device's own, then the newest; of those too low the
    /// highest.
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

extension Lifetime {
    /// Whether it can hold in a session: one that is for another session, or for one that can't be told from others, does not.
    fileprivate func isOf(_ session: LoginSession) -> Bool {
        guard case .session(let granted) = self else { return true }
        return granted == session && session.isIdentified
    }
}

extension Decision {
    /// Whether this denial leaves nothing of `allow`: it is newer, or it names the device and the allow does not.
    func outweighs(_ allow: Decision) -> Bool {
        isNewer(than: allow) || (device != .any && allow.device == .any)
    }

    /// The store numbers decisions in their order; without numbers the wall clock must do.
    func isNewer(than other: Decision) -> Bool {
        guard let id, let otherID = other.id else {
            return decidedAt.wallNanoseconds > other.decidedAt.wallNanoseconds
        }
        return id > otherID
    }

    /// Whether it speaks of the device a request means now; without a device, of the request's own words.
    func covers(_ requested: DeviceSelector, now resolved: DeviceID?) -> Bool {
        if let resolved { return device.covers(resolved) }
        return switch requested {
        case .any: device == .any
        case .id(let id): device.covers(id)
        }
    }
}
