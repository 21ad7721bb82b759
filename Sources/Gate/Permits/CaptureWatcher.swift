import CaptureBase
import Dispatch
import Logging

/// Asks about every running capture again after each change of store or policy, and when a grant's date comes.
///
/// It works on a Dispatch queue of its own: a program that keeps the cooperative pool busy can't put a revocation off.
///
/// *thread-safe*
final class CaptureWatcher: Sendable {
    private struct State {
        var observations: [any ChangeObservation] = []
        var isOpen = false
        var watches: [ObjectIdentifier: WatchedCapture] = [:]
        /// A check is in the queue and has not read anything yet.
        var isScheduled = false
        /// Only the newest timer counts.
        var timer: UInt64 = 0
    }

    let judge: CaptureJudge
    private let log: Logger?
    private let queue = DispatchQueue(label: "capturegate.gatekeeper.watch", qos: .userInteractive)
    private let state = Locked(State())

    init(judge: CaptureJudge, log: Logger?) {
        self.judge = judge
        self.log = log
    }

    /// Begins to listen for changes; from the second time on it does nothing.
    func open() {
        let isFirst = state.withLock { state in
            defer { state.isOpen = true }
            return !state.isOpen
        }
        guard isFirst else { return }
        let changed: @Sendable () -> Void = { [weak self] in self?.recheck() }
        let observations = [judge.store.observeChanges(changed), judge.policy.observeChanges(changed)]
        state.withLock { $0.observations = observations }
    }

    /// Watches a capture that has just begun, and checks it once more: what changed since it was read is found.
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
        let going = zip(watches, judge.findings(of: watches.map(\.evaluationRequest))).filter { watch, finding in
            judgeOne(watch, finding)
        }
        arm(going.map(\.0))
    }

    /// Whether it goes on.
    private func judgeOne(_ watch: WatchedCapture, _ finding: CaptureJudge.Finding) -> Bool {
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

    /// By the moment that was judged: a clock that was set back since then does not make a revocation of an expiry.
    private func reason(for watch: WatchedCapture, _ finding: CaptureJudge.Finding) -> CaptureEndReason {
        if case .restricted(let restriction) = finding.status {
            return restriction.cause == .killSwitch ? .killed : .revoked
        }
        let basis = watch.basis
        guard case .until(let limit) = basis.lifetime else { return .revoked }
        return limit.hasPassed(at: finding.at, since: basis.decidedAt) ? .expired : .revoked
    }
}

extension CaptureWatcher {
    /// How often the clocks are read while a grant with a date is in use: a timer knows neither of a suspended machine nor
    /// of a wall clock that was set.
    private static let longestNap: Int64 = 250_000_000

    /// Comes back when the first of these captures' grants runs out.
    private func arm(_ watches: [WatchedCapture]) {
        let now = judge.clock.now
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

/// What the watcher knows of one capture.
final class WatchedCapture: Sendable {
    private struct State {
        var basis: Grant
        var aliases: [DeviceID]
        var mayBeAny = false
        var reason: CaptureEndReason?
        var handler: (@Sendable (CaptureEndReason) -> Void)?
        /// The session has closed the device.
        var isFinished = false
    }

    let item: PermitState.Item
    private let state: Locked<State>

    init(_ item: PermitState.Item, basis: Grant) {
        self.item = item
        state = Locked(State(basis: basis, aliases: item.aliases))
    }

    /// The grant it rests on now.
    var basis: Grant { state.withLock { $0.basis } }
    var endReason: CaptureEndReason? { state.withLock { $0.reason } }

    /// What is to be judged.
    var evaluationRequest: CaptureJudge.Case {
        let (basis, aliases, mayBeAny) = state.withLock { ($0.basis, $0.aliases, $0.mayBeAny) }
        return CaptureJudge.Case(
            request: item.request, device: item.device.id, aliases: aliases, mayBeAny: mayBeAny, basis: basis)
    }

    /// What is captured goes by other ids as well.
    ///
    /// - Parameter mayBeAny: by that of any device of its capability.
    /// - Returns: whether one of them is new.
    func alsoIs(_ aliases: [DeviceID], mayBeAny: Bool = false) -> Bool {
        state.withLock { state in
            let fresh = aliases.filter { !state.aliases.contains($0) }
            state.aliases += fresh
            if mayBeAny { state.mayBeAny = true }
            return !fresh.isEmpty
        }
    }

    var isFinished: Bool { state.withLock { $0.isFinished } }

    /// Whether this was the first time.
    func finish() -> Bool {
        state.withLock { state in
            defer { state.isFinished = true }
            return !state.isFinished
        }
    }

    func onEnd(_ handler: @escaping @Sendable (CaptureEndReason) -> Void) {
        let reason = state.withLock { state in
            if state.reason == nil { state.handler = handler }
            return state.reason
        }
        if let reason { handler(reason) }
    }

    func end(_ reason: CaptureEndReason) {
        let handler = state.withLock { state -> (@Sendable (CaptureEndReason) -> Void)? in
            guard state.reason == nil else { return nil }
            state.reason = reason
            defer { state.handler = nil }
            return state.handler
        }
        handler?(reason)
    }

    /// Goes on, on this grant.
    func rest(on grant: Grant) {
        state.withLock { $0.basis = grant }
    }
}
