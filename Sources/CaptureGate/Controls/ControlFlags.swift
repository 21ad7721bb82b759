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
