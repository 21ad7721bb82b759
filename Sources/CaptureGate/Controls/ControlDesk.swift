import Gate

/// Reads and sets controls by their names, and refuses before the device does.
struct ControlAccess {
    let device: Device
    let backend: any ControlBackend

    func controls() throws(CaptureError) -> [DeviceControl] {
        try translatingErrors { () throws(DeviceCallError) in try backend.controls() }
    }

    /// - Throws: `.usage` with the names that may have been meant.
    func control(named name: String, among controls: [DeviceControl]) throws(CaptureError) -> DeviceControl {
        let spelled = ControlName.spelled(name)
        if let control = controls.first(where: { $0.name == spelled }) { return control }
        throw unknown(name, controls)
    }

    /// The same control as it is now.
    func read(_ control: DeviceControl) throws(CaptureError) -> DeviceControl {
        try translatingErrors { () throws(DeviceCallError) in try backend.read(control) }
    }

    /// Sets a control and reads it back.
    func set(_ control: DeviceControl, to value: ControlValue) throws(CaptureError) -> ControlChange {
        do { try control.check(value) } catch { throw refused(error) }
        // Another control may have been set since the list was made.
        let now = try read(control)
        try now.checkSettable(on: device)
        let meant = try translatingErrors { () throws(DeviceCallError) in try backend.write(value, to: now) }
        let after = try read(now)
        let isReadable = after.value != nil && now.kind != .button
        return ControlChange(asked: value, control: after, isAsAsked: !isReadable || after.value == meant)
    }

    private func unknown(_ name: String, _ controls: [DeviceControl]) -> CaptureError {
        let named = "\(QuestionText.visible(device.name)) [\(device.id)]"
        guard !controls.isEmpty else { return CaptureError(.usage, "\(named) has no controls.") }
        let near = ControlName.nearest(to: name, among: controls.map(\.name))
        let guess = near.isEmpty ? "" : " Did you mean \(DeviceControl.alternatives(near))?"
        return CaptureError(
            .usage, "\(named) has no control \"\(QuestionText.visible(name))\".\(guess)",
            remedies: [Remedy("See which it has.", command: "capturegate controls \(device.id)")])
    }

    /// The same, with where to see what it takes.
    private func refused(_ error: CaptureError) -> CaptureError {
        CaptureError(
            error.kind, error.message,
            remedies: [Remedy("See what it takes.", command: "capturegate controls \(device.id)")])
    }

    private func translatingErrors<Value>(_ body: () throws(DeviceCallError) -> Value) throws(CaptureError) -> Value {
        do { return try body() } catch { throw error.error(device) }
    }
}
