import Dispatch
import Gate

/// Store of decisions in memory, which behaves like any `GrantStore`, and fails if a test requests it.
///
/// A gatekeeper made with it opens only test devices, like every gatekeeper except the machine's.
///
/// *thread-safe*
public final class MemoryStore: GrantStore {
    /// Everything protected by the lock.
    fileprivate struct State {
        var decisions: [Decision] = []
        var consumed: [Decision] = []
        var kills: Set<CapabilityName> = []
        var latest = Duration.zero
        var events: [AuditEvent] = []
        var lastID: Int64 = 0
        var failure: CaptureError?
        /// Events to refuse: their kind, and how many more.
        var lost: (kind: AuditEvent.Kind, times: Int) = (.stop, 0)
        /// Observers by number, so that one that ends removes only itself.
        var handlers: [Int: @Sendable () -> Void] = [:]
        var lastHandler = 0
        var snapshots = 0
        var version: Int64 = 0
        var beforeSnapshot: (@Sendable (Int) -> Void)?
    }

    private let state = Locked(State())
    /// Observers are called here and never by the changing thread: a store in a file calls them later, too.
    private let queue = DispatchQueue(label: "memory-store")

    public init() {}

    /// The decisions in the store.
    public var decisions: [Decision] { state.withLock { $0.decisions } }
    /// The audit log, oldest event first.
    public var events: [AuditEvent] { state.withLock { $0.events } }
    /// Number of reads so far.
    public var snapshots: Int { state.withLock { $0.snapshots } }
    /// The events of one kind.
    public func events(_ kind: AuditEvent.Kind) -> [AuditEvent] { events.filter { $0.kind == kind } }

    /// Makes every further call throw an error; `nil` ends that.
    public func fail(with error: CaptureError?) {
        state.withLock { $0.failure = error }
        changed()
    }

    /// Refuses a number of events of a kind, as a locked store does.
    public func refuse(_ kind: AuditEvent.Kind, times: Int) {
        state.withLock { $0.lost = (kind, times) }
    }

    /// Sets a closure that is called before each read, with its number: for changes between two reads.
    public func beforeSnapshot(_ hook: (@Sendable (Int) -> Void)?) {
        state.withLock { $0.beforeSnapshot = hook }
    }

    /// Raises the latest wall clock time that the store has seen, since 1970.
    public func see(sinceEpoch time: Duration) { state.withLock { $0.latest = max($0.latest, time) } }

    public func snapshot() throws(CaptureError) -> StoreSnapshot {
        let (hook, number) = state.withLock { state in
            state.snapshots += 1
            return (state.beforeSnapshot, state.snapshots)
        }
        // Outside the lock: the closure may change this store.
        hook?(number)
        return try perform { state in
            StoreSnapshot(
                decisions: state.decisions, killSwitches: state.kills, latestSinceEpoch: state.latest,
                consumed: state.consumed, version: state.version)
        }
    }

    public var version: Int64? { state.withLock { $0.version } }

    public func record(_ decisions: [Decision], audit: AuditEvent) throws(CaptureError) -> StoreCommit {
        let stored = try change { state in
            state.events.append(audit)
            return decisions.map { state.store($0) }
        }
        changed()
        return StoreCommit(decisions: stored, committed: .zero)
    }

    public func remove(_ ids: [Int64], audit: AuditEvent) throws(CaptureError) -> StoreCommit {
        let removed = try change { state in
            let removed = (state.decisions + state.consumed).filter { $0.id.map(ids.contains) == true }
            state.decisions.removeAll { $0.id.map(ids.contains) == true }
            state.consumed.removeAll { $0.id.map(ids.contains) == true }
            state.events.append(audit)
            return removed
        }
        changed()
        return StoreCommit(decisions: removed, committed: .zero)
    }

    public func consume(once ids: [Int64], audit: AuditEvent) throws(CaptureError) -> StoreCommit {
        let used = try change { state throws(CaptureError) in
            let used = state.decisions.filter { $0.id.map(ids.contains) == true && $0.lifetime == .once }
            guard used.count == ids.count else { throw CaptureError(.notAuthorized, "It is used up.") }
            state.decisions.removeAll { $0.id.map(ids.contains) == true }
            state.consumed += used
            state.events.append(audit)
            return used
        }
        changed()
        return StoreCommit(decisions: used, committed: .zero)
    }

    public func setKillSwitch(
        _ capability: CapabilityName, on: Bool, audit: AuditEvent
    ) throws(CaptureError) -> StoreCommit {
        try change { state in
            if on { state.kills.insert(capability) } else { state.kills.remove(capability) }
            state.events.append(audit)
        }
        changed()
        return StoreCommit(decisions: [], committed: .zero)
    }

    public func append(_ event: AuditEvent) throws(CaptureError) {
        try change { state throws(CaptureError) in
            if state.lost.kind == event.kind, state.lost.times > 0 {
                state.lost.times -= 1
                throw CaptureError(.store, "It is locked.", remedies: [Remedy("Wait.")])
            }
            state.events.append(event)
        }
    }

    public func observeChanges(_ handler: @escaping @Sendable () -> Void) -> any ChangeObservation {
        let id = state.withLock { state in
            state.lastHandler += 1
            state.handlers[state.lastHandler] = handler
            return state.lastHandler
        }
        return Observation { [weak self] in self?.forget(id) }
    }

    /// Number of observers.
    public var observers: Int { state.withLock { $0.handlers.count } }

    private func forget(_ id: Int) { state.withLock { $0.handlers[id] = nil } }

    private func changed() {
        queue.async { for handler in self.state.withLock({ Array($0.handlers.values) }) { handler() } }
    }

    private func change<Value: Sendable>(
        _ body: (inout State) throws(CaptureError) -> Value
    ) throws(CaptureError) -> Value {
        try perform { state throws(CaptureError) in
            state.version += 1
            return try body(&state)
        }
    }

    private func perform<Value: Sendable>(
        _ body: (inout State) throws(CaptureError) -> Value
    ) throws(CaptureError) -> Value {
        let result = state.withLock { state -> Result<Value, CaptureError> in
            if let failure = state.failure { return .failure(failure) }
            do throws(CaptureError) {
                return .success(try body(&state))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }
}

extension MemoryStore.State {
    /// A new decision replaces those of the same key; a permission for once coexists with them.
    fileprivate mutating func store(_ decision: Decision) -> Decision {
        lastID += 1
        let stored = decision.with(id: lastID)
        decisions.removeAll { old in
            let isSame =
                old.subject.userID == decision.subject.userID
                && old.subject.executable.path == decision.subject.executable.path
                && old.capability == decision.capability && old.device == decision.device
            let standsBeside = decision.lifetime == .once && decision.verdict == .allow && old.lifetime != .once
            return isSame && !standsBeside
        }
        decisions.append(stored)
        return stored
    }
}

extension Decision {
    fileprivate func with(id: Int64) -> Decision {
        Decision(
            id: id, verdict: verdict, subject: subject, capability: capability, level: level, device: device,
            lifetime: lifetime, decidedBy: decidedBy, decidedAt: decidedAt)
    }
}

/// Ends with its release.
private final class Observation: ChangeObservation {
    private let end: @Sendable () -> Void

    init(_ end: @escaping @Sendable () -> Void) {
        self.end = end
    }

    deinit { end() }
}
