/// A device's controls, open: what a camera's driver and a sound card's mixer have in common. Closed with the value.
///
/// *session-bound*
protocol ControlBackend: AnyObject {
    /// All there are, in the device's order, with their values now.
    func controls() throws(DeviceCallError) -> [DeviceControl]
    /// The same control as it is now.
    func read(_ control: DeviceControl) throws(DeviceCallError) -> DeviceControl
    /// Hands a value on that was checked.
    /// - Returns: what it stands for on this device, a number where decibels were asked for.
    func write(_ value: ControlValue, to control: DeviceControl) throws(DeviceCallError) -> ControlValue
}

/// Of a device that has none, as the built-in ones.
final class NoControls: ControlBackend {
    func controls() throws(DeviceCallError) -> [DeviceControl] { [] }
    func read(_ control: DeviceControl) throws(DeviceCallError) -> DeviceControl { control }
    func write(_ value: ControlValue, to control: DeviceControl) throws(DeviceCallError) -> ControlValue { value }
}
