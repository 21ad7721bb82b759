/// A device as udev, sysfs and /proc show it: its formats are not known yet.
struct DiscoveredDevice {
    let device: Device
    /// Whether nobody holds it, so that opening it disturbs nobody.
    let isIdle: Bool

    /// The device with what it says that it can deliver, where it may be asked, and what went wrong in asking.
    var withFormats: (Device, DeviceInventory.Fault?) {
        guard isIdle, let node = device.nodes.first, NodeAccess.restriction(on: node) == nil else {
            return (device, nil)
        }
        let reading =
            device.capability == .camera ? CameraFormats.read(node) : MicrophoneFormats.read(device.pcmName ?? "")
        let fault = reading.fault.map {
            DeviceInventory.Fault(capability: device.capability, device: device.id, error: $0.error(device))
        }
        return (device.with(reading), fault)
    }
}

extension Device {
    fileprivate func with(_ reading: FormatQueryResult) -> Device {
        Device(
            id: id, name: name, capability: capability, availability: availability, ambiguity: ambiguity, nodes: nodes,
            pcmName: pcmName, formats: reading.formats, aliases: aliases, inputs: reading.inputs,
            colorimetry: reading.colorimetry)
    }
}
