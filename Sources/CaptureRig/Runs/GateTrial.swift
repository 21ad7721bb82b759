import CaptureGate
import Dispatch
import GateTestKit
import LinuxSystem

/// Trial of the gate: revocation, expiry, refusal, and no question to anybody.
///
/// No grant is issued for a real device and none is removed. The permission is revoked by a denial of ten seconds beside it, in
/// the store of the bench's own gate, and the denial is removed at once: if this process ended in between, it would expire by
/// itself.
///
/// *thread-safe*
struct GateTrial: Sendable {
    private let gatekeeper: Gatekeeper
    private let clock: any GateClock
    /// Length of a capture that nobody ends.
    private let most: Duration

    /// Time after which a denial expires: longer than the capture, which would otherwise continue if the gate is late.
    private var denial: Duration { most * 2 }
    /// Time that is left to a grant of the built-in camera while it is captured.
    private static let rest = Duration.milliseconds(500)

    /// - Parameters:
    ///   - clock: clock by which a short grant expires.
    ///   - most: length of a capture that nobody ends.
    init(_ context: CheckContext, clock: any GateClock = SystemGateClock(), most: Duration = .seconds(5)) {
        gatekeeper = context.gatekeeper
        self.clock = clock
        self.most = most
    }

    func findings(on device: Device) async throws(CaptureError) -> CheckFindings {
        let revoked = try await revocation(on: device)
        let expired = try await expiry()
        let refused = try await refusal()
        return CheckFindings([
            Measure("revoked_after", revoked, "ms", .lower), Measure("expired_after", expired, "ms", .lower),
            Measure("refused_after", refused.time, "ms", .lower),
            Measure("asked", Double(refused.asked), "questions", .lower),
        ])
    }

    // MARK: Revocation

    /// - Returns: time from the denial to the last frame that arrived, in ms.
    private func revocation(on device: Device) async throws(CaptureError) -> Double {
        try await requireStoredGrant(of: device)
        let denial = try await self.denial(of: device)
        let capture = GateCapture(gatekeeper, most)
        async let capturing = capture.run(on: device)
        await capture.begun.reached()
        let begun = SystemClock.monotonic.now
        let seconds = self.denial.components.seconds
        let commit = await stored(
            denial, detail: "denied for \(seconds) s by the check gate.holds")
        let record = await capturing
        try await remove(commit)
        let moment = max(begun, try commit.get().committed.nanoseconds)
        return try Self.milliseconds(from: moment, to: record, ending: .revoked)
    }

    /// A rule of the administrator takes precedence over stored decisions: the trial would show nothing about the gate.
    private func requireStoredGrant(of device: Device) async throws(CaptureError) {
        let camera = Capability.Camera(.video, device: .id(device.id), purpose: "Test a revocation")
        let report = await gatekeeper.report(on: camera)
        if let refusal = report.refusal { throw refusal }
        guard case .policy? = report.status.grant?.decision.decidedBy else { return }
        throw CaptureError(
            .unavailable, "A rule of the administrator allows \(device.id). This check can't revoke a rule.",
            remedies: [
                Remedy("Use a permission instead of the rule.", .grant(Remedy.Permission(device.capability.rawValue)))
            ])
    }

    /// Denial that replaces no other decision: of another id of the hardware, which nothing else uses, otherwise of the device or
    /// of all cameras.
    private func denial(of device: Device) async throws(CaptureError) -> Decision {
        let (subject, store) = (try gatekeeper.subject.get(), gatekeeper.store)
        let stored = try await Self.blocking { () throws(CaptureError) in try store.snapshot() }.get()
        let own = stored.decisions.filter {
            $0.capability == device.capability && $0.subject.userID == subject.userID
                && $0.subject.executable.path == subject.executable.path
        }
        let choices = (device.aliases + [device.id]).map { DeviceSelector.id($0) } + [.any]
        guard let free = choices.first(where: { choice in !own.contains { $0.device == choice } }) else {
            throw CaptureError(
                .unavailable,
                "There are permissions for \(device.id) and for any camera, so this check would have to replace one.",
                remedies: [Remedy("Revoke the one for any camera.", .showStatus)])
        }
        let now = clock.now
        return Decision(
            verdict: .deny, subject: subject, capability: device.capability, level: .still, device: free,
            lifetime: .until(now.advanced(by: self.denial.nanoseconds)), decidedBy: .command, decidedAt: now)
    }

    private func stored(_ decision: Decision, detail: String) async -> Result<StoreCommit, CaptureError> {
        let (store, event) = (gatekeeper.store, event(.decision, decision, detail))
        return await Self.blocking { () throws(CaptureError) in try store.record([decision], audit: event) }
    }

    private func remove(_ commit: Result<StoreCommit, CaptureError>) async throws(CaptureError) {
        guard let decision = try commit.get().decisions.first, let id = decision.id else { return }
        let (store, event) = (gatekeeper.store, event(.removal, decision, "the check gate.holds has ended"))
        _ = try await Self.blocking { () throws(CaptureError) in try store.remove([id], audit: event) }.get()
    }

    private func event(_ kind: AuditEvent.Kind, _ decision: Decision, _ detail: String) -> AuditEvent {
        let devices: [DeviceID] = if case .id(let id) = decision.device { [id] } else { [] }
        return AuditEvent(
            kind, at: clock.now, subject: decision.subject, capability: decision.capability, level: decision.level,
            devices: devices, decision: decision.id, detail: detail)
    }

    /// A store may wait for its lock, which one of Swift's threads must not.
    private static func blocking<Value: Sendable>(
        _ body: @escaping @Sendable () throws(CaptureError) -> Value
    ) async -> Result<Value, CaptureError> {
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "capturegate.rig.store").async {
                continuation.resume(returning: Result { () throws(CaptureError) in try body() })
            }
        }
    }

    // MARK: The built-in camera, with the trial's own gates

    /// - Returns: time from the end of a grant, which is shortened while frames flow, to the last frame that arrived, in ms.
    private func expiry() async throws(CaptureError) -> Double {
        let store = MemoryStore()
        try allow(in: store, for: .seconds(60))
        let capture = GateCapture(own(store, CountingPrompter(gatekeeper.prompter)), most)
        let bars = try Self.bars()
        async let capturing = capture.run(on: bars)
        await capture.begun.reached()
        let moment = SystemClock.monotonic.now + Self.rest.nanoseconds
        try allow(in: store, for: Self.rest)
        return try Self.milliseconds(from: moment, to: await capturing, ending: .expired)
    }

    private func allow(in store: MemoryStore, for time: Duration) throws(CaptureError) {
        let now = clock.now
        let grant = Decision(
            verdict: .allow, subject: try gatekeeper.subject.get(), capability: .camera, level: .video,
            device: .id(.testPicture), lifetime: .until(now.advanced(by: time.nanoseconds)), decidedBy: .command,
            decidedAt: now)
        _ = try store.record([grant], audit: event(.decision, grant, "allowed for \(time) by the check gate.holds"))
    }

    /// - Returns: time until a device without a grant was refused, in ms, and the number of questions.
    private func refusal() async throws(CaptureError) -> (time: Double, asked: Int) {
        let prompter = CountingPrompter(gatekeeper.prompter)
        let capture = GateCapture(own(MemoryStore(), prompter), .zero)
        let begun = SystemClock.monotonic.now
        let result = await capture.run(on: try Self.bars())
        let time = Double(SystemClock.monotonic.now - begun) / 1e6
        switch result {
        case .success: throw CaptureError(.notAsAsked, "The gate opened a camera without a permission.")
        case .failure(let error) where error.kind == .notAuthorized || error.kind == .dismissed:
            return (time, prompter.questions)
        case .failure(let error): throw error
        }
    }

    /// A gate that opens the built-in devices alone, and asks whom the bench's own would ask.
    private func own(_ store: MemoryStore, _ prompter: CountingPrompter) -> Gatekeeper {
        Gatekeeper(
            subject: gatekeeper.subject, store: store, prompter: prompter, directory: BuiltInDirectory(), clock: clock)
    }

    private static func bars() throws(CaptureError) -> Device {
        if let bars = DeviceCatalog.scan(.identity, of: .camera).first(where: { $0.id == .testPicture }) { return bars }
        throw CaptureError(.unavailable, "This program has no built-in camera.")
    }

    /// Time by which a capture outlived its permission. One that nobody ended has its whole length, which is a finding, not an
    /// error.
    private static func milliseconds(
        from moment: Int64, to result: Result<StreamRecord, CaptureError>, ending kind: CaptureError.Kind
    ) throws(CaptureError) -> Double {
        let record = try result.get()
        if let failure = record.failure, failure.kind != kind { throw failure }
        try CaptureError.checkInterruption()
        guard let last = record.arrivals.last else { throw CaptureError(.stalled, "No frame came.") }
        if record.failure == nil, last < moment {
            throw CaptureError(
                .timedOut, "The capture ended before its permission: the machine is too slow for this check.")
        }
        return max(0, Double(last - moment) / 1e6)
    }
}

/// A capture that the gate shall end, or not allow.
///
/// *thread-safe*
struct GateCapture: Sendable {
    /// Raised when frames are flowing, or when the capture is over.
    let begun = Signal()
    private let streams: GatedStreams
    private let duration: Duration

    init(_ gatekeeper: Gatekeeper, _ duration: Duration) {
        streams = GatedStreams(GateQueue(gatekeeper: gatekeeper))
        self.duration = duration
    }

    func run(on device: Device) async -> Result<StreamRecord, CaptureError> {
        defer { begun.raise() }
        let begun = begun
        return await outcome { () async throws(CaptureError) in
            try await streams.record(StreamCapture(for: duration), from: device) { (_) throws(CaptureError) in
                FlowInspector(begun: begun)
            }.record
        }
    }
}

/// Inspector that waits for frames. *session-bound*
private struct FlowInspector: StreamInspector {
    static var needsContent: Bool { false }

    let begun: Signal
    private var frames = 0

    init(begun: Signal) { self.begun = begun }

    mutating func inspect(_ header: FrameHeader, _ bytes: RawSpan) {
        frames += 1
        if frames == 3 { begun.raise() }
    }
}

/// Prompter that can ask as another one can, counts the questions, and dismisses them.
///
/// *thread-safe*
final class CountingPrompter: Prompter {
    private let other: any Prompter
    private let count = Locked(0)

    init(_ other: any Prompter) { self.other = other }

    var name: String { other.name }
    var questions: Int { count.withLock { $0 } }

    func obstacle() async -> CaptureError? { await other.obstacle() }

    func ask(_ question: Question) async -> Answer {
        count.withLock { $0 += 1 }
        return .dismissed
    }
}

/// Directory of the built-in devices.
///
/// *thread-safe*
struct BuiltInDirectory: DeviceDirectory {
    func resolve(_ request: DeviceRequest) async -> DeviceResolution {
        let device = DeviceCatalog.scan(.identity, of: request.capability).first {
            $0.isBuiltIn && request.device.covers($0.id)
        }
        guard let device else {
            return DeviceResolution(device: nil, availability: .absent("\(request.device)"))
        }
        return DeviceResolution(device: device.description, availability: .available)
    }
}
