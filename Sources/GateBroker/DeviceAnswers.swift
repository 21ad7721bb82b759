import CaptureGate
import Dispatch
import Gate

/// Answers of devices about themselves, which are opened for it and captured nothing from.
///
/// *thread-safe*
enum DeviceAnswers {
    /// Formats and inputs of an idle device. Querying them reveals nothing that it sees or hears.
    static func formats(_ choice: DeviceChoice) async throws(CaptureError) -> BrokerReply {
        let found = await withCheckedContinuation { continuation in
            // It may block, and the cooperative pool must not.
            DispatchQueue(label: "capturegated.formats").async {
                continuation.resume(
                    returning: Result { () throws(CaptureError) in
                        try DeviceCatalog.device(choice.device, choice.capability).asked()
                    })
            }
        }
        let device = try found.get()
        var answer = LentFormats()
        (answer.formats, answer.inputs) = (device.formats, device.inputs)
        return .formats(answer)
    }

    /// Controls with their present values.
    static func controls(_ choice: DeviceChoice, by gate: Gatekeeper) async throws(CaptureError) -> BrokerReply {
        .controls(LentControls(try await GateQueue(gatekeeper: gate).run(ControlReading(choice))))
    }

    /// Sets a control, and reads it back.
    static func set(_ order: ControlOrder, by gate: Gatekeeper) async throws(CaptureError) -> BrokerReply {
        .controls(LentControls(try await GateQueue(gatekeeper: gate).run(ControlReading(order.choice, setting: order))))
    }
}

/// Reads a device's controls, or sets one of them.
private struct ControlReading: CaptureOperation {
    let authorization: AuthorizedFor<Capability.All>
    private let device: DeviceID
    private let order: ControlOrder?

    init(_ choice: DeviceChoice, setting order: ControlOrder? = nil) {
        device = choice.device
        self.order = order
        authorization = AuthorizedFor(
            Capability.All([
                DeviceRequest(
                    capability: choice.capability, level: choice.capability.levels.first ?? .still,
                    device: .id(choice.device), purpose: "Use the controls of the \(choice.capability)", isShared: true)
            ]))
    }

    func execute(
        with permit: consuming Permit, in context: OperationContext
    ) async throws(CaptureError) -> [DeviceControl] {
        var permit = permit
        guard let part = permit.take(device) else {
            throw CaptureError(.notAuthorized, "The permit is not for \(device).")
        }
        let session = try await ControlSession(opening: part)
        let result = Result { () throws(CaptureError) -> [DeviceControl] in
            let all = try session.controls()
            guard let order else { return all }
            guard let control = all.first(where: { $0.id == order.control }) else {
                throw CaptureError(
                    .usage, "\(device) has no control \(order.control).",
                    remedies: [Remedy("List its controls.", .showControls(device: device.rawValue))])
            }
            return [try session.set(control, to: order.value).control]
        }
        await session.close("controls used")
        return try result.get()
    }
}
