import CaptureGate

/// The devices there are, for people and for programs.
struct DeviceListing {
    let inventory: DeviceInventory
    /// The only one that is wanted, where one is.
    let capability: CapabilityName?
    private var devices: [Device] { inventory.devices }

    func lines(_ style: TextStyle) -> [String] {
        var lines: [String] = []
        for capability in [CapabilityName.camera, .microphone] where self.capability ?? capability == capability {
            let listed = devices.filter { $0.capability == capability }
            lines += (lines.isEmpty ? [] : [""]) + [style.bold(capability == .camera ? "Cameras" : "Microphones")]
            lines += Table(rows: listed.map(row)).lines.map { "  " + $0 }
            if let remark = remark(on: capability) { lines.append("  " + remark) }
        }
        let notes = devices.compactMap { device in
            device.ambiguity.map { "\(device.id.rawValue.visible): \($0.visible)" }
        }
        return lines + (notes.isEmpty ? [] : [""] + notes.map { "Note: \($0)." })
    }

    /// What is said below a list that has no real device, or that may lack some.
    private func remark(on capability: CapabilityName) -> String? {
        if inventory.faults.contains(where: { $0.capability == capability && $0.device == nil }) {
            return "There may be more: not all could be looked at."
        }
        let hasReal = devices.contains { $0.capability == capability && !$0.isBuiltIn }
        return hasReal ? nil : "This machine has no real \(capability)."
    }

    var json: JSONValue {
        var members: [(String, JSONValue)] = [
            ("devices", .array(devices.map(\.json))),
            ("faults", .array(inventory.faults.map(\.json))),
        ]
        if let capability {
            let choice = try? DeviceQuery.default.pick(from: devices, capability)
            members.append(("default", .optional(choice?.id.rawValue)))
        }
        return .object(members)
    }

    private func row(_ device: Device) -> [String] {
        let isFaulty = inventory.faults.contains { $0.device == device.id }
        let formats =
            switch device.formats {
            case .unknown where isFaulty: "formats could not be read"
            case _ where isFaulty: device.formats.phrase + "; not all could be read"
            default: device.formats.phrase
            }
        let said = device.signalPhrase.map { "\($0); \(formats)" } ?? formats
        return [device.id.rawValue.visible, device.name.visible, device.availability.phrase, said]
    }
}

extension DeviceInventory.Fault {
    /// `id` is that of the device whose formats could not be read; null where devices may be missing.
    fileprivate var json: JSONValue {
        [
            "capability": .string(capability.rawValue), "id": .optional(device?.rawValue),
            "error": ErrorReport(error: error).json,
        ]
    }
}
