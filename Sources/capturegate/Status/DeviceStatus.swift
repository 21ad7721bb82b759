import CaptureGate

/// How a device stands for this program: is it there, who holds it, is it allowed.
struct DeviceStatus {
    let device: Device
    let status: AuthorizationStatus
    let strength: GateStrength

    init(of device: Device, at gatekeeper: Gatekeeper) async {
        let levels = device.capability.levels.suffix(1).map { level in
            DeviceRequest(
                capability: device.capability, level: level, device: .id(device.id), purpose: "Show the status")
        }
        self.device = device
        status = await gatekeeper.status(of: Capability.All(levels))
        strength = GateStrength(of: device)
    }

    func row(_ style: TextStyle) -> [String] {
        let color =
            switch status {
            case .authorized: style.green
            case .denied, .restricted: style.red
            case .notDetermined: style.yellow
            }
        return [device.id.rawValue.visible, device.availability.phrase, color(status.phrase), strength.label]
    }

    var json: JSONValue {
        .object(
            [
                ("id", .string(device.id.rawValue)), ("name", .string(device.name)),
                ("capability", .string(device.capability.rawValue)),
            ] + device.availability.json + [
                ("authorization", .string(status.word)), ("reason", .string(status.phrase)),
                ("decision", status.decision?.id.map { .integer($0) } ?? .null),
                ("strength", .string(strength.level)), ("node_group", .optional(strength.group)),
            ])
    }
}
