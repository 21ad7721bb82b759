import Gate

/// Tells the gate which device a request means, from a scan that opens nothing.
///
/// *thread-safe*
struct SystemDeviceDirectory: DeviceDirectory {
    func resolve(_ request: DeviceRequest) async -> DeviceResolution {
        let devices = DeviceCatalog.scan(.identity)
        do {
            let device = try find(request, in: devices)
            return DeviceResolution(
                device: device.description, availability: device.availability,
                restriction: device.nodes.lazy.compactMap { NodeAccess.restriction(on: $0) }.first)
        } catch {
            return DeviceResolution(device: nil, availability: .absent(error.message))
        }
    }

    private func find(_ request: DeviceRequest, in devices: [Device]) throws(CaptureError) -> Device {
        switch request.device {
        case .any: return try DeviceQuery.default.pick(from: devices, request.capability)
        case .id(let id):
            if let device = devices.first(where: { $0.id == id && $0.capability == request.capability }) {
                return device
            }
            throw CaptureError(.noDevice, "There is no \(request.capability) \(QuestionText.visible(id.rawValue)).")
        }
    }
}
