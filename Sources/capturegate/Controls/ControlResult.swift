import CaptureGate

/// What a control is, and what it was asked to be.
struct ControlResult: Sendable {
    let control: DeviceControl
    let asked: ControlValue?
    let isAsAsked: Bool

    init(_ control: DeviceControl) {
        self.control = control
        asked = nil
        isAsAsked = true
    }

    init(_ change: ControlChange) {
        control = change.control
        asked = change.asked
        isAsAsked = change.isAsAsked
    }
}
