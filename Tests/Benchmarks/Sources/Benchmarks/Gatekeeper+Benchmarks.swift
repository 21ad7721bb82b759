import CaptureGate

extension Gatekeeper {
    /// A gate that allows the microphone and asks nobody; it uses no disk and no device.
    static let forBenchmarks = Gatekeeper(
        subject: .success(.benchmark), store: OneGrant(), prompter: NobodyAsks(), directory: OneMicrophone(),
        clock: StandingClock())
}

struct Microphone: DeviceCapability {
    let requirement = DeviceRequest(capability: .microphone, level: .record, device: .any, purpose: "Measure")
}

private struct NobodyAsks: Prompter {
    let name = "nobody"
    func obstacle() async -> CaptureError? { nil }
    func ask(_ question: Question) async -> Answer { .dismissed }
}

private struct OneMicrophone: DeviceDirectory {
    func resolve(_ request: DeviceRequest) async -> DeviceResolution {
        DeviceResolution(
            device: DeviceDescription(id: DeviceID(rawValue: "microphone"), name: "Microphone"),
            availability: .available)
    }
}

private struct StandingClock: GateClock {
    var now: GateInstant { .zero }
}

extension GateInstant {
    fileprivate static let zero = GateInstant(sinceEpoch: .zero, sinceBoot: .zero, bootID: "boot")
}

extension Subject {
    fileprivate static let benchmark = Subject(
        userID: 1000, groupIDs: [1000], executable: Executable(path: "/usr/bin/benchmark", inode: 1, sha256: "aa"),
        application: nil, session: LoginSession(leader: 1, startTicks: 1, bootID: "boot"))
}

/// Always holds one grant, and takes nothing.
private struct OneGrant: GrantStore {
    private final class Observation: ChangeObservation {}

    func snapshot() throws(CaptureError) -> StoreSnapshot {
        let grant = Decision(
            id: 1, verdict: .allow, subject: .benchmark, capability: .microphone, level: .record, device: .any,
            lifetime: .always, decidedBy: .command, decidedAt: .zero)
        return StoreSnapshot(decisions: [grant], killSwitches: [], latestSinceEpoch: .zero)
    }

    func record(_ decisions: [Decision], audit: AuditEvent) throws(CaptureError) -> StoreCommit { try refuse() }
    func remove(_ ids: [Int64], audit: AuditEvent) throws(CaptureError) -> StoreCommit { try refuse() }
    func consume(once ids: [Int64], audit: AuditEvent) throws(CaptureError) -> StoreCommit { try refuse() }
    func append(_ event: AuditEvent) throws(CaptureError) {}
    func observeChanges(_ handler: @escaping @Sendable () -> Void) -> any ChangeObservation { Observation() }

    func setKillSwitch(
        _ capability: CapabilityName, on: Bool, audit: AuditEvent
    ) throws(CaptureError) -> StoreCommit { try refuse() }

    private func refuse() throws(CaptureError) -> StoreCommit {
        throw CaptureError(.store, "This store is only read.")
    }
}
