import CaptureGate

/// The device whose controls are meant: of a camera and a microphone, the one that the word fits.
enum ControlTarget {
    static func pick(_ text: String, from devices: [Device]) throws(CaptureError) -> Device {
        guard text != "default" else {
            throw CaptureError(
                .usage, "The default camera and the default microphone are two devices.",
                remedies: [
                    Remedy(
                        "Name the one you mean.",
                        command: "capturegate controls \"$(capturegate devices --default camera)\"")
                ])
        }
        let query = DeviceQuery(text)
        let camera = fitting(query, .camera, devices)
        let microphone = fitting(query, .microphone, devices)
        if case .success(let camera) = camera, case .success(let microphone) = microphone {
            throw CaptureError(
                .noDevice, "\"\(text.visible)\" fits a camera and a microphone: \(camera.id), \(microphone.id).",
                remedies: [Remedy("Name the one you mean by its id.", command: "capturegate devices")])
        }
        if case .success(let device) = camera { return device }
        if case .success(let device) = microphone { return device }
        throw absent(text, devices, camera)
    }

    private static func fitting(
        _ query: DeviceQuery, _ capability: CapabilityName, _ devices: [Device]
    ) -> Result<Device, CaptureError> {
        Result { () throws(CaptureError) in try query.pick(from: devices, capability) }
    }

    private static func absent(
        _ text: String, _ devices: [Device], _ camera: Result<Device, CaptureError>
    ) -> CaptureError {
        // Several cameras fit: that sentence says more than that there is no such device.
        if case .failure(let error) = camera, error.message.contains("fits") { return error }
        let ids = devices.map(\.id.rawValue).joined(separator: ", ")
        return CaptureError(
            .noDevice, "There is no camera and no microphone \"\(text.visible)\".",
            remedies: [Remedy("Choose one of: \(ids).", command: "capturegate devices")])
    }
}
