/// One thing that can be set on a device: exposure, gain, focus, a microphone's volume …
///
/// *thread-safe*
public struct DeviceControl: Hashable, Sendable {
    /// How a control's value is written.
    public enum Kind: String, Hashable, Sendable {
        case integer, boolean, menu
        /// A menu whose items are numbers.
        case integerMenu = "integer menu"
        /// Has no value: setting it does something once.
        case button
        case integer64 = "64-bit integer"
        case string
        case bitmask
        /// A value of many parts; it is listed, and neither read nor set.
        case compound
    }

    /// V4L2's number of the control, or ALSA's of the element.
    public let id: UInt32
    /// Lower case with underscores, as `v4l2-ctl` spells it.
    public let name: String
    /// The device's own words.
    public let label: String
    public let kind: Kind
    /// Of a text, how many bytes it has; of a bitmask, 0 and all bits there are.
    public let range: ClosedRange<Int64>
    /// Between two values; 1 upwards.
    public let step: Int64
    /// `nil` where the device says none.
    public let defaultValue: Int64?
    public let flags: ControlFlags
    /// Of a menu.
    public let items: [ControlItem]
    /// `nil` of buttons and of what can't be read.
    public let value: ControlValue?
    /// Of a volume.
    public let decibels: ControlDecibels?
    /// What has to be set to manual before this counts, where that is known.
    public let automatic: AutomaticControl?

    public init(
        id: UInt32, name: String, label: String, kind: Kind, range: ClosedRange<Int64> = 0...0, step: Int64 = 1,
        defaultValue: Int64? = nil, flags: ControlFlags = [], items: [ControlItem] = [], value: ControlValue? = nil,
        decibels: ControlDecibels? = nil, automatic: AutomaticControl? = nil
    ) {
        self.id = id
        self.name = name
        self.label = label
        self.kind = kind
        self.range = range
        self.step = max(1, step)
        self.defaultValue = defaultValue
        self.flags = flags
        self.items = items
        self.value = value
        self.decibels = decibels
        self.automatic = automatic
    }
}
