import CaptureBase

/// Reads store, policy and clock together and applies the rules. Its calls may block.
struct CaptureJudge: Sendable {
    /// What is judged: a request, and what it found or runs on.
    struct Case: Sendable {
        let request: DeviceRequest
        let device: DeviceID?
        /// The same hardware's other ids.
        var aliases: [DeviceID] = []
        /// It may be any device of its capability: a denial of one of them is one of it.
        var mayBeAny = false
        var restriction: Restriction?
        /// The grant a capture that goes on rests on; `nil` for one that has not begun.
        var basis: Grant?
    }

    let subject: Result<Subject, CaptureError>
    let store: any GrantStore
    let policy: any PolicySource
    let clock: any GateClock

    /// What was found, and the moment it was found for.
    struct Finding: Sendable {
        let status: AuthorizationStatus
        /// Its wall time does not go before the latest one the store has seen.
        let at: GateInstant
        /// The later clock that keeps a permission from deciding.
        var laterClock: LaterClock?
    }

    /// One status for each case, all from the same reading of the store.
    func statuses(of cases: [Case]) -> [AuthorizationStatus] { findings(of: cases).map(\.status) }

    func findings(of cases: [Case]) -> [Finding] {
        do throws(CaptureError) {
            let snapshot = try store.snapshot()
            // Read last: waiting for the store takes time.
            let now = clock.now
            let seen = now.notBefore(wall: snapshot.latestWallNanoseconds)
            return cases.map { matter in
                let status = status(of: matter, in: snapshot, at: now)
                return Finding(status: status, at: seen, laterClock: laterClock(for: matter, status, snapshot, now))
            }
        } catch {
            return cases.map { _ in Finding(status: .restricted(.store(error)), at: clock.now) }
        }
    }

    private func status(of matter: Case, in snapshot: StoreSnapshot, at now: GateInstant) -> AuthorizationStatus {
        let snapshot = matter.basis.map { snapshot.continuing(on: $0) } ?? snapshot
        let rules = AuthorizationRules(subject: subject, snapshot: snapshot, now: now)
        let status = rules.status(
            of: matter.request, on: matter.device, restriction: matter.restriction,
            verdict: verdict(on: matter, at: now, snapshot.latestWallNanoseconds))
        let others = matter.aliases + (matter.mayBeAny ? rules.deniedDevices(of: matter.request.capability) : [])
        let denials = others.lazy.compactMap { rules.denial(of: matter.request, as: $0, instead: status) }
        return denials.first ?? status
    }

    private func laterClock(
        for matter: Case, _ status: AuthorizationStatus, _ snapshot: StoreSnapshot, _ now: GateInstant
    ) -> LaterClock? {
        guard case .notDetermined = status else { return nil }
        return AuthorizationRules(subject: subject, snapshot: snapshot, now: now)
            .laterClock(of: matter.request, on: matter.device)
    }

    private func verdict(on matter: Case, at now: GateInstant, _ latestWall: Int64) -> PolicyVerdict {
        // Nobody is asked about a subject that nobody knows: the rules refuse it before they look at this.
        guard case .success(let subject) = subject else { return .ask }
        let query = PolicyQuery(
            capability: matter.request.capability, level: matter.request.level,
            device: matter.device ?? DeviceID(rawValue: matter.request.device.description), aliases: matter.aliases,
            mayBeAny: matter.mayBeAny, at: now, latestWallNanoseconds: latestWall)
        return policy.verdict(for: subject, on: query)
    }
}

extension StoreSnapshot {
    /// As a capture that goes on sees it: its own `once` grant holds until it is removed, and no other `once` grant does,
    /// because that one is for a capture to come.
    func continuing(on basis: Grant) -> StoreSnapshot {
        var seen = decisions.filter { $0.lifetime != .once || $0.verdict == .deny }
        if basis.lifetime == .once, knows(basis.decision) { seen.append(basis.decision) }
        return StoreSnapshot(
            decisions: seen, killSwitches: killSwitches, latestWallNanoseconds: latestWallNanoseconds,
            consumed: consumed)
    }

    private func knows(_ once: Decision) -> Bool {
        guard let consumed else { return true }
        return (consumed + decisions).contains { $0.id == once.id }
    }
}
