import CaptureGate
import Gate
import GateStore

/// User's store, with the switches for everybody applied.
///
/// *thread-safe*
struct SwitchedStore: GrantStore {
    private let own: SQLiteGrantStore
    private let machine: SQLiteGrantStore

    /// - Parameters:
    ///   - own: the user's, which all changes go to.
    ///   - machine: its switches hold for everybody.
    init(_ own: SQLiteGrantStore, under machine: SQLiteGrantStore) {
        self.own = own
        self.machine = machine
    }

    /// The user's decisions, and the switches of both.
    func snapshot() throws(CaptureError) -> StoreSnapshot {
        let (snapshot, switches) = (try own.snapshot(), try machine.snapshot().killSwitches)
        guard !switches.isEmpty else { return snapshot }
        return StoreSnapshot(
            decisions: snapshot.decisions, killSwitches: snapshot.killSwitches.union(switches),
            latestSinceEpoch: snapshot.latestSinceEpoch, consumed: snapshot.consumed, version: snapshot.version)
    }

    // Decisions are the user's own; the machine's switches are changed elsewhere, with polkit.

    func record(_ decisions: [Decision], audit: AuditEvent) throws(CaptureError) -> StoreCommit {
        try own.record(decisions, audit: audit)
    }

    func remove(_ ids: [Int64], audit: AuditEvent) throws(CaptureError) -> StoreCommit {
        try own.remove(ids, audit: audit)
    }

    func consume(once ids: [Int64], audit: AuditEvent) throws(CaptureError) -> StoreCommit {
        try own.consume(once: ids, audit: audit)
    }

    func setKillSwitch(_ capability: CapabilityName, on: Bool, audit: AuditEvent) throws(CaptureError) -> StoreCommit {
        try own.setKillSwitch(capability, on: on, audit: audit)
    }

    func append(_ event: AuditEvent) throws(CaptureError) { try own.append(event) }

    /// Changes of either: a switch for everybody ends captures as the user's own does.
    func observeChanges(_ handler: @escaping @Sendable () -> Void) -> any ChangeObservation {
        BothObservations([own.observeChanges(handler), machine.observeChanges(handler)])
    }
}

/// Observations that end together.
private final class BothObservations: ChangeObservation {
    private let all: [any ChangeObservation]

    init(_ all: [any ChangeObservation]) {
        self.all = all
    }
}
