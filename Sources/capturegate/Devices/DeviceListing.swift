import CaptureGate

/// The devices there are, for people and for programs.
struct DeviceListing {
    let devices: [Device]
    /// The only one that is wanted, where one is.
    let capability: CapabilityName?

    func lines(_ ink: Ink) -> [String] {
        var lines: [String] = []
        for capability in [CapabilityName.camera, .microphone] where self.capability ?? capability == capability {
            let listed = devices.filter { $0.capability == capability }
            lines += (lines.isEmpty ? [] : [""]) + [ink.bold(capability == .camera ? "Cameras" : "Microphones")]
            lines += Table(rows: listed.map(row)).lines.map { "  " + $0 }
            if listed.allSatisfy(\.isBuiltIn) { lines.append("  This machine has no real \(capability).") }
        }
        let notes = devices.compactMap { device in device.ambiguity.map { "\(device.id): \($0.visible)" } }
        return lines + (notes.isEmpty ? [] : [""] + notes.map { "Note: \($0)." })
    }

    var json: JSONValue {
        var members: [(String, JSONValue)] = [("devices", .array(devices.map(\.json)))]
        if let capability {
            let choice = try? DeviceQuery.default.pick(from: devices, capability)
            members.append(("default", .optional(choice?.id.rawValue)))
        }
        return .object(members)
    }

    private func row(_ device: Device) -> [String] {
        [device.id.rawValue, device.name.visible, device.availability.phrase, device.formats.phrase]
    }
}
