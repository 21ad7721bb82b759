/// What became of setting a control.
///
/// *thread-safe*
public struct ControlChange: Hashable, Sendable {
    public let asked: ControlValue
    /// The control, read again afterwards.
    public let control: DeviceControl
    /// Whether the device did what it was asked for; a button has nothing to compare.
    public let isAsAsked: Bool
}
