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
