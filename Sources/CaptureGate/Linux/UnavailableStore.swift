import Gate

/// Stands where the store could not be opened: every call says why, and so nobody is allowed anything.
struct UnavailableStore: GrantStore {
    let error: CaptureError

    private final class Silence: ChangeObservation {}

    func snapshot() throws(CaptureError) -> StoreSnapshot { throw error }
    func record(_ decisions: [Decision], audit: AuditEvent) throws(CaptureError) -> StoreCommit { throw error }
    func remove(_ ids: [Int64], audit: AuditEvent) throws(CaptureError) -> StoreCommit { throw error }
    func consume(once ids: [Int64], audit: AuditEvent) throws(CaptureError) -> StoreCommit { throw error }
    func setKillSwitch(_ capability: CapabilityName, on: Bool, audit: AuditEvent) throws(CaptureError) -> StoreCommit {
        throw error
    }
    func append(_ event: AuditEvent) throws(CaptureError) { throw error }
    func observeChanges(_ handler: @escaping @Sendable () -> Void) -> any ChangeObservation { Silence() }
}
