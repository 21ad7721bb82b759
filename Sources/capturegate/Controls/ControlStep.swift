import CaptureGate

/// One thing to be done, its name and value understood.
struct ControlStep {
    let control: DeviceControl
    private let value: ControlValue?

    /// - Throws: `.usage` for a name or a value that the device has not.
    init(
        _ request: ControlRequest, _ session: borrowing ControlSession, _ all: [DeviceControl]
    ) throws(CaptureError) {
        control = try session.control(named: request.name, among: all)
        value = if let text = request.value { try control.value(parsing: text) } else { nil }
    }

    func run(_ session: borrowing ControlSession) throws(CaptureError) -> ControlResult {
        if let value { return ControlResult(try session.set(control, to: value)) }
        return ControlResult(try session.read(control))
    }
}
