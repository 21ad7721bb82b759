/// Setting of a device, such as exposure, gain, focus, or a microphone's volume.
///
/// *thread-safe*
public struct DeviceControl: Hashable, Sendable {
    /// Kind of a control, which decides how its value is written.
    public enum Kind: String, Hashable, Sendable {
        case integer, boolean, menu
        /// Menu whose items are numbers.
        case integerMenu = "integer menu"
        /// Control without a value: setting it triggers an action.
        case button
        case integer64 = "64-bit integer"
        case string
        case bitmask
        /// Compound value, which is listed but can't be read or set.
        case compound
    }

    /// V4L2's number of the control, or ALSA's of the element (`numid`).
    public let id: UInt32
    /// Name in lower case with underscores, as `v4l2-ctl` spells it.
    public let name: String
    /// The device's own words.
    public let label: String
    /// Kind of the value.
    public let kind: Kind
    /// Lowest and highest value; of a text, its length in bytes; of a bitmask, 0 and all bits there are.
    public let range: ClosedRange<Int64>
    /// Distance between two values, 1 upwards.
    public let step: Int64
    /// Driver's default; `nil` if it has none.
    public let defaultValue: Int64?
    /// State of the control, such as inactive or read-only.
    public let flags: ControlFlags
    /// Items of a menu; empty for other kinds.
    public let items: [ControlItem]
    /// Present value; `nil` for buttons and for values that can't be read.
    public let value: ControlValue?
    /// Scale of a volume in decibels; `nil` if the control has no scale.
    public let decibels: ControlDecibels?
    /// Control that must be set to manual before this one has an effect; `nil` if unknown.
    public let automatic: AutomaticControl?

    /// Describes a control; a step below 1 becomes 1, since a mixer's elements may report 0.
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

/// Value of a control, present or wanted.
///
/// *thread-safe*
public enum ControlValue: Hashable, Sendable {
    /// A number; 0 or 1 of a switch; the number of a menu's item.
    case integer(Int64)
    /// Text of a string control, in UTF-8.
    case text(String)
    /// Level of a volume that has a scale in decibels; the nearest step is taken.
    case decibels(Double)
}

/// One item of a menu.
///
/// *thread-safe*
public struct ControlItem: Hashable, Sendable {
    /// Value of the control that selects the item; numbers may be missing.
    public let number: Int64
    /// Name from the device, or the item's number as text.
    public let name: String

    /// Makes an item.
    public init(number: Int64, name: String) {
        self.number = number
        self.name = name
    }
}

/// Scale of a volume control, in decibels.
///
/// *thread-safe*
public struct ControlDecibels: Hashable, Sendable {
    /// Lowest and highest level in dB; the lowest is that of the lowest step above silence.
    public let range: ClosedRange<Double>
    /// Current level in dB; `nil` for silence.
    public let value: Double?

    /// Makes a scale.
    ///
    /// - Parameters:
    ///   - range: dB.
    ///   - value: dB; `nil` for silence.
    public init(range: ClosedRange<Double>, value: Double?) {
        self.range = range
        self.value = value
    }
}

/// State of a control besides its value and range; the bits are those of V4L2_CTRL_FLAG_*.
///
/// *thread-safe*
public struct ControlFlags: OptionSet, Hashable, Sendable {
    public let rawValue: UInt32

    /// Takes V4L2's flags; unknown bits are kept.
    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// Cannot be set while the device captures.
    public static let grabbed = ControlFlags(rawValue: 0x0002)
    /// Read-only.
    public static let readOnly = ControlFlags(rawValue: 0x0004)
    /// Setting it changes other controls.
    public static let update = ControlFlags(rawValue: 0x0008)
    /// No effect under the present setting of other controls.
    public static let inactive = ControlFlags(rawValue: 0x0010)
    /// Write-only.
    public static let writeOnly = ControlFlags(rawValue: 0x0040)
    /// The device changes its value by itself.
    public static let volatile = ControlFlags(rawValue: 0x0080)

    /// Permanently unusable, and not listed.
    static let disabled = ControlFlags(rawValue: 0x0001)
    /// Value of another form than a number; text among them.
    static let hasPayload = ControlFlags(rawValue: 0x0100)

    /// Names of the set flags, in the order of the bits.
    public var words: [String] { Self.all.filter { contains($0.0) }.map(\.1) }

    private static let all: [(ControlFlags, String)] = [
        (.grabbed, "grabbed"), (.readOnly, "read-only"), (.update, "update"), (.inactive, "inactive"),
        (.writeOnly, "write-only"), (.volatile, "volatile"),
    ]
}

/// Control that makes the device choose another control's value, so that setting that value has no effect.
///
/// *thread-safe*
public struct AutomaticControl: Hashable, Sendable {
    /// Name, such as `auto_exposure`.
    public let name: String
    /// Setting that leaves the value to the user.
    public let manual: ControlValue

    /// Names an automatic control and its manual setting.
    public init(name: String, manual: ControlValue) {
        self.name = name
        self.manual = manual
    }
}

/// Pairs of automatic control and value, by V4L2's numbers (videodev2.h, v4l2-controls.h).
///
/// The kernel has no request for this: V4L2_CTRL_FLAG_INACTIVE says that a value has no effect, but not which control
/// decides that.
enum AutomaticPair {
    /// Finds the automatic control that decides over a control.
    ///
    /// - Returns: its number and its manual setting; `nil` if none is known.
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
