import Gate

/// A store that another one can take the place of, as a file can that is put where the first one was.
final class SwappedStore: GrantStore {
    private let inner: Locked<any GrantStore>

    init(_ inner: any GrantStore) {
        self.inner = Locked(inner)
    }

    var current: any GrantStore { inner.withLock { $0 } }
    func swap(for other: any GrantStore) { inner.withLock { $0 = other } }

    func snapshot() throws(CaptureError) -> StoreSnapshot { try current.snapshot() }
    func record(_ decisions: [Decision], audit: AuditEvent) throws(CaptureError) -> StoreCommit {
        try current.record(decisions, audit: audit)
    }
    func remove(_ ids: [Int64], audit: AuditEvent) throws(CaptureError) -> StoreCommit {
        try current.remove(ids, audit: audit)
    }
    func consume(once ids: [Int64], audit: AuditEvent) throws(CaptureError) -> StoreCommit {
        try current.consume(once: ids, audit: audit)
    }
    func setKillSwitch(_ capability: CapabilityName, on: Bool, audit: AuditEvent) throws(CaptureError) -> StoreCommit {
        try current.setKillSwitch(capability, on: on, audit: audit)
    }
    func append(_ event: AuditEvent) throws(CaptureError) { try current.append(event) }
    func observeChanges(_ handler: @escaping @Sendable () -> Void) -> any ChangeObservation {
        current.observeChanges(handler)
    }
}
