import Gate
import GateTestKit

extension Capability {
    struct Microphone: DeviceCapability {
        let requirement: DeviceRequest

        init(_ level: AccessLevel = .record, device: DeviceSelector = .any, purpose: String = "Record a memo") {
            requirement = DeviceRequest(
                capability: .microphone, level: level, device: device, purpose: purpose)
        }
    }

    struct Camera: DeviceCapability {
        let requirement: DeviceRequest

        init(_ level: AccessLevel = .video, device: DeviceSelector = .any, purpose: String = "Film a clip") {
            requirement = DeviceRequest(capability: .camera, level: level, device: device, purpose: purpose)
        }
    }
}

/// Redeems every device of its permit, as a session does, and counts.
struct Capture<Capable: DeviceCapability>: CaptureOperation, ConditionedOperation {
    let authorization: AuthorizedFor<Capable>
    var conditions: [any OperationCondition] = []
    var observers: [any OperationObserver] = []
    var name = "Capture"
    /// Rises when `execute` begins, when a device was opened, and with each frame that it gave.
    var executions = Signal()
    var openings = Signal()
    var frames = Signal()
    /// What it throws when it has opened its devices.
    var failure: CaptureError?
    /// Runs while the devices are open.
    var during: @Sendable ([ActiveCapture]) async -> Void = { _ in }

    init(_ capability: Capable, conditions: [any OperationCondition] = []) {
        authorization = AuthorizedFor(capability)
        self.conditions = conditions
    }

    func execute(
        with permit: consuming Permit, in context: OperationContext
    ) async throws(CaptureError) -> [DeviceID] {
        executions.raise()
        var captures: [ActiveCapture] = []
        for device in permit.devices {
            guard let permit = permit.take(device.device.id) else { continue }
            captures.append(try await permit.redeem(opening: device.device.id, as: device.capability))
            openings.raise()
            for _ in 0..<3 { frames.raise() }
        }
        await during(captures)
        for capture in captures { await capture.finish(frames: 48, bytes: 96, outcome: "done") }
        if let failure { throw failure }
        return captures.map(\.device.id)
    }
}

extension DevicePermit {
    /// Opens at the level the permit is for.
    consuming func redeem(
        opening id: DeviceID, as name: CapabilityName
    ) async throws(CaptureError) -> ActiveCapture {
        let level = level
        return try await redeem(opening: id, as: name, for: level)
    }
}
