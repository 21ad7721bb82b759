import CaptureGate

/// A visit to a device's controls: all are read, and one of each kind is set to what it is.
final class SweptControls: SweptWork {
    let names: [String]
    /// A listing is cached for a second.
    let chance: String? = "udev_"
    private let request: DeviceRequest
    private let queue: GateQueue

    init(_ capability: CapabilityName, _ device: String, in folder: SweptFolder) throws {
        names = [device]
        request = DeviceRequest(
            capability: capability, level: capability == .camera ? .still : .meter,
            device: .id(DeviceID(rawValue: device)), purpose: "Sweep faults", isShared: true)
        queue = GateQueue(gatekeeper: try folder.gatekeeper())
    }

    func make(failing fault: PlannedFault) async -> SweptOutcome {
        fault.plan()
        do throws(CaptureError) {
            try await queue.run(SweptVisit(authorization: AuthorizedFor(Capability.All([request]))))
            return .done
        } catch {
            return .refused(error)
        }
    }

    /// It writes no file; the sweep itself checks the files that others write.
    func complaint(about outcome: SweptOutcome) -> String? { nil }
}

/// Visits the controls of the one device of its permit.
struct SweptVisit: CaptureOperation {
    let authorization: AuthorizedFor<Capability.All>

    func execute(with permit: consuming Permit, in context: OperationContext) async throws(CaptureError) {
        var permit = permit
        guard let id = permit.devices.first?.device.id, let part = permit.take(id) else {
            throw CaptureError(.notAuthorized, "The permit is empty.")
        }
        let session = try await ControlSession(opening: part)
        let result: Result<Void, CaptureError>
        do throws(CaptureError) { result = .success(try visit(session)) } catch { result = .failure(error) }
        await session.close("swept")
        try result.get()
    }

    private func visit(_ session: borrowing ControlSession) throws(CaptureError) {
        var kinds: Set<DeviceControl.Kind> = [.button, .compound]
        for control in try session.controls() {
            guard let value = control.value, control.flags.isDisjoint(with: [.readOnly, .inactive, .grabbed]),
                kinds.insert(control.kind).inserted
            else { continue }
            _ = try session.set(control, to: value)
            if let level = control.decibels?.value { _ = try session.set(control, to: .decibels(level)) }
        }
    }
}
