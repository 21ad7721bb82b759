import CaptureBase
import Dispatch
import Logging

/// Evaluates every running capture again after each change of store or policy, and when a grant's time or the login session is
/// over.
///
/// It works on a separate Dispatch queue: a program that keeps the cooperative pool busy can't delay a revocation.
///
/// *thread-safe*
final class CaptureWatcher: Sendable {
    private struct State {
        var observations: [any ChangeObservation] = []
        var isOpen = false
        var watches: [ObjectIdentifier: WatchedCapture] = [:]
        /// True while a check is in the queue and has not read anything yet: many changes need one check.
        var isScheduled = false
        /// Number of the newest timer; older ones do nothing.
        var timer: UInt64 = 0
    }

    let evaluator: AuthorizationEvaluator
    private let log: Logger?
    private let queue = DispatchQueue(label: "capturegate.gatekeeper.watch", qos: .userInteractive)
    private let state = Locked(State())

    init(evaluator: AuthorizationEvaluator, log: Logger?) {
        self.evaluator = evaluator
        self.log = log
    }

    /// Begins to listen for changes; later calls do nothing.
    func open() {
        let isFirst = state.withLock { state in
            defer { state.isOpen = true }
            return !state.isOpen
        }
        guard isFirst else { return }
        let changed: @Sendable () -> Void = { [weak self] in self?.recheck() }
        var observations = [evaluator.store.observeChanges(changed), evaluator.policy.observeChanges(changed)]
        if case .success(let subject) = evaluator.subject, subject.session.isIdentified,
            let end = evaluator.sessions.observeEnd(of: subject.session, changed)
        {
            observations.append(end)
        }
        state.withLock { $0.observations = observations }
    }

    /// Watches a capture that has just begun, and checks it once more: a change since it was read is found.
    func begin(_ watch: WatchedCapture) {
        state.withLock { $0.watches[ObjectIdentifier(watch)] = watch }
        recheck()
    }

    func end(_ watch: WatchedCapture) {
        state.withLock { $0.watches[ObjectIdentifier(watch)] = nil }
    }

    /// Checks all captures soon, on the watching queue.
    func recheck() {
        let isFirst = state.withLock { state in
            defer { state.isScheduled = true }
            return !state.isScheduled
        }
        if isFirst { queue.async { self.check() } }
    }

    private func check() {
        let watches = state.withLock { state in
            state.isScheduled = false
            return Array(state.watches.values)
        }
        guard !watches.isEmpty else { return }
        let going = zip(watches, evaluator.findings(of: watches.map(\.evaluationRequest))).filter { watch, finding in
            judgeOne(watch, finding)
        }
        arm(going.map(\.0))
    }

    /// Applies a finding to a capture. True if the capture continues.
    private func judgeOne(_ watch: WatchedCapture, _ finding: AuthorizationEvaluator.Finding) -> Bool {
        if let grant = finding.status.grant, grant.level >= watch.item.request.level {
            watch.rest(on: grant)
            return true
        }
        let reason = reason(for: watch, finding)
        log?.notice("\(watch.item.device.id.rawValue.visible): capture \(reason.rawValue)")
        end(watch)
        watch.end(reason)
        return false
    }

    /// Reason by the moment that was judged: a clock that was set back since then does not turn an expiry into a
    /// revocation.
    private func reason(for watch: WatchedCapture, _ finding: AuthorizationEvaluator.Finding) -> CaptureEndReason {
        if case .restricted(let restriction) = finding.status {
            return restriction.cause == .killSwitch ? .killed : .revoked
        }
        let basis = watch.basis
        if case .session(let session) = basis.lifetime, evaluator.sessions.isOver(session) { return .expired }
        guard case .until(let limit) = basis.lifetime else { return .revoked }
        return limit.hasPassed(at: finding.at, since: basis.decidedAt) ? .expired : .revoked
    }
}

extension CaptureWatcher {
    /// Longest time between two readings of the clocks while a grant with an end is in use, ns: a timer knows neither
    /// of a suspended machine nor of a wall clock that was set.
    private static let longestNap: Int64 = 250_000_000

    /// Schedules the check at which the first of these captures' grants may be over.
    private func arm(_ watches: [WatchedCapture]) {
        let now = evaluator.clock.now
        let naps = watches.compactMap { watch -> Int64? in
            guard case .until(let limit) = watch.basis.lifetime else { return nil }
            return limit.remaining(at: now)
        }
        guard let first = naps.min() else { return }
        let timer = state.withLock { state in
            state.timer += 1
            return state.timer
        }
        let nap = min(first, Self.longestNap)
        queue.asyncAfter(deadline: .now() + .nanoseconds(Int(nap)), qos: .userInteractive, flags: .enforceQoS) {
            [weak self] in self?.wake(timer)
        }
    }

    private func wake(_ timer: UInt64) {
        guard state.withLock({ $0.timer == timer }) else { return }
        check()
    }
}

/// The watcher's record of one capture.
///
/// *thread-safe*
final class WatchedCapture: Sendable {
    private struct State {
        var basis: Grant
        var aliases: [DeviceID]
        var mayBeAny = false
        var reason: CaptureEndReason?
        var handler: (@Sendable (CaptureEndReason) -> Void)?
        /// True once the session has closed the device.
        var isFinished = false
    }

    let item: PermitState.Item
    private let state: Locked<State>

    init(_ item: PermitState.Item, basis: Grant) {
        self.item = item
        state = Locked(State(basis: basis, aliases: item.aliases))
    }

    /// The grant that it rests on now.
    var basis: Grant { state.withLock { $0.basis } }
    var endReason: CaptureEndReason? { state.withLock { $0.reason } }

    /// The question to judge again after each change.
    var evaluationRequest: AuthorizationEvaluator.Request {
        let (basis, aliases, mayBeAny) = state.withLock { ($0.basis, $0.aliases, $0.mayBeAny) }
        return AuthorizationEvaluator.Request(
            request: item.request, device: item.device.id, aliases: aliases, mayBeAny: mayBeAny, basis: basis)
    }

    /// Adds further ids of the captured device.
    ///
    /// - Parameters:
    ///   - aliases: The ids.
    ///   - mayBeAny: True if it may be any device of its capability.
    /// - Returns: True if one of them is new.
    func alsoIs(_ aliases: [DeviceID], mayBeAny: Bool = false) -> Bool {
        state.withLock { state in
            let fresh = aliases.filter { !state.aliases.contains($0) }
            state.aliases += fresh
            if mayBeAny { state.mayBeAny = true }
            return !fresh.isEmpty
        }
    }

    var isFinished: Bool { state.withLock { $0.isFinished } }

    /// Marks the capture as finished. True for the first call.
    func finish() -> Bool {
        state.withLock { state in
            defer { state.isFinished = true }
            return !state.isFinished
        }
    }

    /// The handler is called outside the lock: it may come back here.
    func onEnd(_ handler: @escaping @Sendable (CaptureEndReason) -> Void) {
        let reason = state.withLock { state in
            if state.reason == nil { state.handler = handler }
            return state.reason
        }
        if let reason { handler(reason) }
    }

    /// Only the first reason counts.
    func end(_ reason: CaptureEndReason) {
        let handler = state.withLock { state -> (@Sendable (CaptureEndReason) -> Void)? in
            guard state.reason == nil else { return nil }
            state.reason = reason
            defer { state.handler = nil }
            return state.handler
        }
        handler?(reason)
    }

    /// Lets the capture continue with this grant.
    func rest(on grant: Grant) {
        state.withLock { $0.basis = grant }
    }
}
