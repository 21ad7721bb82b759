import CaptureBase

/// Reads store, policy and clock together and applies the rules. Its calls may block.
///
/// *thread-safe*
struct AuthorizationEvaluator: Sendable {
    /// Request for a device, and the device that was found or is in use.
    struct Request: Sendable {
        let request: DeviceRequest
        let device: DeviceID?
        /// Other ids of the same hardware. A denial of any of them denies the device.
        var aliases: [DeviceID] = []
        /// It may be any device of its capability, so that a denial of one of them is a denial of it.
        var mayBeAny = false
        var restriction: Restriction?
        /// Grant that a running capture uses; `nil` for a capture that has not begun.
        var basis: Grant?
    }

    let subject: Result<Subject, CaptureError>
    let store: any GrantStore
    let policy: any PolicySource
    let clock: any GateClock
    let sessions: any LoginSessions

    /// Status of a request, and the moment that it is of.
    struct Finding: Sendable {
        let status: AuthorizationStatus
        /// Its wall time does not go before the latest one the store has seen.
        let at: GateInstant
        /// A later clock that keeps a permission from deciding.
        var laterClock: LaterClock?
    }

    /// Status of each request, all from the same reading of the store.
    func statuses(of requests: [Request]) -> [AuthorizationStatus] { findings(of: requests).map(\.status) }

    func findings(of requests: [Request]) -> [Finding] { reading(of: requests).findings }

    /// Findings, and the snapshot of the store that they were made of; none if it can't be read.
    struct Reading: Sendable {
        let findings: [Finding]
        let snapshot: StoreSnapshot?
    }

    /// - Parameter earlier: a snapshot to use again if the store has not changed since; policy and clocks are always read again.
    func reading(of requests: [Request], after earlier: StoreSnapshot? = nil) -> Reading {
        do throws(CaptureError) {
            let snapshot = if let earlier, isCurrent(earlier) { earlier } else { try store.snapshot() }
            // Read last: waiting for the store takes time.
            let now = clock.now
            let seen = now.notBefore(wall: snapshot.latestSinceEpoch.exactNanoseconds)
            let findings = requests.map { request in
                let status = status(of: request, in: snapshot, at: now)
                return Finding(status: status, at: seen, laterClock: laterClock(for: request, status, snapshot, now))
            }
            return Reading(findings: findings, snapshot: snapshot)
        } catch {
            let unreadable = Finding(status: .restricted(.store(error)), at: clock.now)
            return Reading(findings: requests.map { _ in unreadable }, snapshot: nil)
        }
    }

    private func isCurrent(_ snapshot: StoreSnapshot) -> Bool {
        guard let version = snapshot.version else { return false }
        return store.version == version
    }

    // A denial by another id is looked for last: it only outweighs what would be allowed or asked otherwise.
    private func status(of request: Request, in snapshot: StoreSnapshot, at now: GateInstant) -> AuthorizationStatus {
        let snapshot = request.basis.map { snapshot.continuing(on: $0) } ?? snapshot
        let rules = rules(snapshot, at: now)
        let status = rules.status(
            of: request.request, on: request.device, restriction: request.restriction,
            verdict: verdict(on: request, at: now, snapshot.latestSinceEpoch))
        let others = request.aliases + (request.mayBeAny ? rules.deniedDevices(of: request.request.capability) : [])
        let denials = others.lazy.compactMap { rules.denial(of: request.request, as: $0, instead: status) }
        return denials.first ?? status
    }

    // Told in the question and in refusals: a person who set the clock back wonders why a permission is gone.
    private func laterClock(
        for request: Request, _ status: AuthorizationStatus, _ snapshot: StoreSnapshot, _ now: GateInstant
    ) -> LaterClock? {
        guard case .notDetermined = status else { return nil }
        return rules(snapshot, at: now).laterClock(of: request.request, on: request.device)
    }

    /// Rules for the subject as it is now: its session may be over while it still runs.
    private func rules(_ snapshot: StoreSnapshot, at now: GateInstant) -> AuthorizationRules {
        let holdsSessions = snapshot.decisions.contains { $0.lifetime.isSession }
        let present = subject.map { holdsSessions && sessions.isOver($0.session) ? $0.afterSession : $0 }
        return AuthorizationRules(subject: present, snapshot: snapshot, now: now)
    }

    private func verdict(on request: Request, at now: GateInstant, _ latest: Duration) -> PolicyVerdict {
        // Nobody is asked about an unknown subject: the rules refuse it before they use this value.
        guard case .success(let subject) = subject else { return .ask }
        let query = PolicyQuery(
            capability: request.request.capability, level: request.request.level,
            device: request.device ?? DeviceID(rawValue: request.request.device.description), aliases: request.aliases,
            mayBeAny: request.mayBeAny, at: now, latestSinceEpoch: latest)
        return policy.verdict(for: subject, on: query)
    }
}

extension StoreSnapshot {
    /// Snapshot for a running capture: its own `once` grant applies until it is removed, and no other `once` grant does, because
    /// that is for a later capture.
    func continuing(on basis: Grant) -> StoreSnapshot {
        var seen = decisions.filter { $0.lifetime != .once || $0.verdict == .deny }
        if basis.lifetime == .once, knows(basis.decision) { seen.append(basis.decision) }
        return StoreSnapshot(
            decisions: seen, killSwitches: killSwitches, latestSinceEpoch: latestSinceEpoch, consumed: consumed)
    }

    private func knows(_ once: Decision) -> Bool {
        guard let consumed else { return true }
        return (consumed + decisions).contains { $0.id == once.id }
    }
}
