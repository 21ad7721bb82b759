import CaptureBase
import Gate

/// The user's store as the supervisor reads it: a permission counts only if no supervised program can have written it.
///
/// Supervised programs belong to the same user, and may write all of the user's files, including the decisions. A permission
/// counts if it existed when the run began, or if a person gave it to this supervisor. Any other permission is reported to the
/// person, who is asked once more. A denial always counts. A permission that was missing for a moment, or whose kill switch was
/// lifted, is asked about again, too.
///
/// *thread-safe*
package final class SupervisedStore: GrantStore {
    private struct State {
        /// Yeses that count.
        var trusted: Set<Decision> = []
        /// Capabilities that were switched off at the last reading.
        var switches: Set<CapabilityName> = []
        /// Permissions that were reported to the person.
        var told: Set<Decision> = []
    }

    /// Locked while the store is read or written: a snapshot must not be judged by permissions that were trusted later.
    private let state: Locked<State>
    private let store: any GrantStore
    private let notice: @Sendable (String) -> Void

    /// Trusts the permissions that are stored now, before the run begins.
    ///
    /// - Parameters:
    ///   - store: the user's own.
    ///   - notice: called with a sentence for each permission that does not count.
    /// - Throws: `.store` if it can't be read.
    package init(_ store: any GrantStore, notice: @escaping @Sendable (String) -> Void) throws(CaptureError) {
        self.store = store
        self.notice = notice
        let snapshot = try store.snapshot()
        state = Locked(State(trusted: snapshot.yeses, switches: snapshot.killSwitches))
    }

    package var version: Int64? { store.version }

    package func snapshot() throws(CaptureError) -> StoreSnapshot {
        let (snapshot, strange) = try state.withLock { state throws(CaptureError) in
            let read = try store.snapshot()
            let lifted = state.switches.subtracting(read.killSwitches)
            state.trusted = state.trusted.intersection(read.yeses).filter { !lifted.contains($0.capability) }
            state.switches = read.killSwitches
            let strange = read.yeses.subtracting(state.trusted).subtracting(state.told)
            state.told.formUnion(strange)
            return (read.trusting(state.trusted), strange)
        }
        for decision in strange { notice(Self.sentence(decision)) }
        return snapshot
    }

    package func record(_ decisions: [Decision], audit: AuditEvent) throws(CaptureError) -> StoreCommit {
        try state.withLock { state throws(CaptureError) in
            let commit = try store.record(decisions, audit: audit)
            state.trusted.formUnion(commit.decisions.filter { $0.verdict == .allow })
            return commit
        }
    }

    package func remove(_ ids: [Int64], audit: AuditEvent) throws(CaptureError) -> StoreCommit {
        try store.remove(ids, audit: audit)
    }

    package func consume(once ids: [Int64], audit: AuditEvent) throws(CaptureError) -> StoreCommit {
        try store.consume(once: ids, audit: audit)
    }

    package func setKillSwitch(
        _ capability: CapabilityName, on: Bool, audit: AuditEvent
    ) throws(CaptureError) -> StoreCommit { try store.setKillSwitch(capability, on: on, audit: audit) }

    package func append(_ event: AuditEvent) throws(CaptureError) { try store.append(event) }

    package func observeChanges(_ handler: @escaping @Sendable () -> Void) -> any ChangeObservation {
        store.observeChanges(handler)
    }

    private static func sentence(_ decision: Decision) -> String {
        "A permission of \(decision.subject.executable.path.visible) for the \(decision.capability.rawValue) was stored during this run, "
            + "but not by its question. The program may have written it, so this run ignores it."
    }
}

extension StoreSnapshot {
    /// All permissions, including used-up ones: a capture may still use one.
    fileprivate var yeses: Set<Decision> { Set((decisions + (consumed ?? [])).filter { $0.verdict == .allow }) }

    /// The same without the yeses that are not among some.
    fileprivate func trusting(_ trusted: Set<Decision>) -> StoreSnapshot {
        StoreSnapshot(
            decisions: decisions.filter { $0.verdict == .deny || trusted.contains($0) },
            killSwitches: killSwitches, latestSinceEpoch: latestSinceEpoch,
            consumed: consumed?.filter { trusted.contains($0) }, version: version)
    }
}
