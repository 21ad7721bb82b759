@testable import CaptureGate

/// A camera with a gain that its automatic sets, a value that the device rounds, and one that can only be read.
final class ScriptedBackend: ControlBackend {
    var values: [UInt32: Int64] = [1: 1, 2: 17, 3: 128, 4: 7]
    /// What reached the device, in order.
    var written: [String] = []
    var fault: DeviceCallError?
    /// What the gain's automatic is by default.
    var automaticDefault: Int64 = 0
    /// A control that the device refuses to set.
    var stubborn: UInt32?
    /// Number of settings after which it refuses all others.
    var patience = Int.max

    static let device = Device(
        id: DeviceID(rawValue: "camera:scripted"), name: "Scripted", capability: .camera, availability: .available,
        ambiguity: nil, nodes: [], pcmName: nil, formats: .unknown)

    func controls() throws(DeviceCallError) -> [DeviceControl] { [2, 1, 3, 4, 5].map(control) }

    func read(_ control: DeviceControl) throws(DeviceCallError) -> DeviceControl { self.control(control.id) }

    func write(_ value: ControlValue, to control: DeviceControl) throws(DeviceCallError) -> ControlValue {
        if let fault { throw fault }
        if control.id == stubborn || written.count >= patience {
            throw DeviceCallError(call: "VIDIOC_S_CTRL", errno: 5)
        }
        written.append("\(control.name)=\(value.text)")
        // The device itself knows even contrasts alone.
        if case .integer(let number) = value { values[control.id] = control.id == 3 ? number / 2 * 2 : number }
        return value
    }

    private func control(_ id: UInt32) -> DeviceControl {
        let value = values[id].map { ControlValue.integer($0) }
        switch id {
        case 1:
            return DeviceControl(
                id: 1, name: "gain_automatic", label: "Gain, Automatic", kind: .boolean, range: 0...1,
                defaultValue: automaticDefault, value: value)
        case 2:
            return DeviceControl(
                id: 2, name: "gain", label: "Gain", kind: .integer, range: 0...255, defaultValue: 100,
                flags: values[1] == 1 ? [.inactive, .volatile] : [], value: value,
                automatic: AutomaticControl(name: "gain_automatic", manual: .integer(0)))
        case 3:
            return DeviceControl(
                id: 3, name: "contrast", label: "Contrast", kind: .integer, range: 0...255, defaultValue: 128,
                value: value)
        case 4:
            return DeviceControl(
                id: 4, name: "temperature", label: "Temperature", kind: .integer, range: 0...90, defaultValue: 0,
                flags: .readOnly, value: value)
        default: return DeviceControl(id: id, name: "pan_reset", label: "Pan, Reset", kind: .button, flags: .writeOnly)
        }
    }
}
