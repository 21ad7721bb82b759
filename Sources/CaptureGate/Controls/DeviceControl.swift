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

/// What a control is set to, or is to be set to.
///
/// *thread-safe*
public enum ControlValue: Hashable, Sendable {
    /// A number; 0 and 1 of a switch; the number of a menu's item.
    case integer(Int64)
    case text(String)
    /// A volume, of a control that has a scale in decibels: the nearest step is taken.
    case decibels(Double)
}

/// One line of a menu.
///
/// *thread-safe*
public struct ControlItem: Hashable, Sendable {
    /// What the control is set to for it; numbers may be missing.
    public let number: Int64
    /// The device's own words, or the number that the item stands for.
    public let name: String

    public init(number: Int64, name: String) {
        self.number = number
        self.name = name
    }
}

/// A volume's scale.
///
/// *thread-safe*
public struct ControlDecibels: Hashable, Sendable {
    /// dB; the lowest is that of the lowest step that is not silence.
    public let range: ClosedRange<Double>
    /// dB; `nil` is silence.
    public let value: Double?

    public init(range: ClosedRange<Double>, value: Double?) {
        self.range = range
        self.value = value
    }
}

/// What is so of a control besides its range. The bits are those of V4L2_CTRL_FLAG_*.
///
/// *thread-safe*
public struct ControlFlags: OptionSet, Hashable, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// Cannot be set while the device captures.
    public static let grabbed = ControlFlags(rawValue: 0x0002)
    public static let readOnly = ControlFlags(rawValue: 0x0004)
    /// Setting it changes other controls.
    public static let update = ControlFlags(rawValue: 0x0008)
    /// Without effect as other controls stand now.
    public static let inactive = ControlFlags(rawValue: 0x0010)
    public static let writeOnly = ControlFlags(rawValue: 0x0040)
    /// The device changes it by itself.
    public static let volatile = ControlFlags(rawValue: 0x0080)

    static let disabled = ControlFlags(rawValue: 0x0001)
    static let hasPayload = ControlFlags(rawValue: 0x0100)

    /// The words of what is set, in the order of the bits.
    public var words: [String] { Self.all.filter { contains($0.0) }.map(\.1) }

    private static let all: [(ControlFlags, String)] = [
        (.grabbed, "grabbed"), (.readOnly, "read-only"), (.update, "update"), (.inactive, "inactive"),
        (.writeOnly, "write-only"), (.volatile, "volatile"),
    ]
}

/// The control that has the device choose a value by itself, so that setting the value has no effect.
///
/// *thread-safe*
public struct AutomaticControl: Hashable, Sendable {
    /// Its name, such as `auto_exposure`.
    public let name: String
    /// What it is set to so that the value can be set by hand.
    public let manual: ControlValue

    public init(name: String, manual: ControlValue) {
        self.name = name
        self.manual = manual
    }
}

/// Which automatic stands against which value, by V4L2's numbers (videodev2.h, v4l2-controls.h).
enum AutomaticPair {
    /// - Returns: the automatic's number and its manual setting.
    static func partner(of control: UInt32) -> (number: UInt32, manual: Int64)? { pairs[control] }

    private static let pairs: [UInt32: (number: UInt32, manual: Int64)] = [
        // Brightness, hue, gain, chroma gain, red and blue balance, white balance temperature.
        0x0098_0900: (0x0098_0920, 0), 0x0098_0903: (0x0098_0919, 0), 0x0098_0913: (0x0098_0912, 0),
        0x0098_0924: (0x0098_091D, 0), 0x0098_090E: (0x0098_090C, 0), 0x0098_090F: (0x0098_090C, 0),
        0x0098_091A: (0x0098_090C, 0),
        // Exposure and exposure time: V4L2_EXPOSURE_MANUAL.
        0x0098_0911: (0x009A_0901, 1), 0x009A_0902: (0x009A_0901, 1),
        // Iris: manual too; focus; ISO sensitivity: V4L2_ISO_SENSITIVITY_MANUAL.
        0x009A_0911: (0x009A_0901, 1), 0x009A_090A: (0x009A_090C, 0), 0x009A_090B: (0x009A_090C, 0),
        0x009A_0917: (0x009A_0918, 0),
    ]
}
