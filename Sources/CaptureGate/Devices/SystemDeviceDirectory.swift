import Gate

/// Tells the gate which device a request means, from a scan that opens nothing.
///
/// *thread-safe*
struct SystemDeviceDirectory: DeviceDirectory {
    func resolve(_ request: DeviceRequest) async -> DeviceResolution {
        do {
            let device = try find(request)
            return DeviceResolution(
                device: device.description, availability: device.availability,
                restriction: device.nodes.lazy.compactMap { NodeAccess.restriction(on: $0) }.first,
                aliases: device.aliases)
        } catch {
            return DeviceResolution(device: nil, availability: .absent(error.message))
        }
    }

    private func find(_ request: DeviceRequest) throws(CaptureError) -> Device {
        switch request.device {
        case .any:
            try DeviceQuery.default.pick(
                from: DeviceCatalog.scan(.identity, of: request.capability), request.capability)
        case .id(let id): try DeviceCatalog.device(id, request.capability)
        }
    }
}
