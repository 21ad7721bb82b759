import CaptureBase

/// What a camera is asked for; a 0 leaves it as it stands.
///
/// *thread-safe*
public struct CameraSettings: BitwiseCopyable, Sendable, Hashable {
    /// Pixels of a whole picture, also where it comes field by field.
    public var width: Int
    public var height: Int
    /// V4L2's four character code, first character in the low byte.
    public var fourcc: UInt32
    /// Pictures in `fpsDenominator` seconds.
    public var fpsNumerator: Int
    public var fpsDenominator: Int
    /// V4L2's number of the input; -1 leaves it as it stands.
    public var input = -1
    /// V4L2_STD_* of an analogue input.
    public var standard: UInt64 = 0
    /// Has an analogue input follow the standard of its signal.
    public var detectsStandard = false
    /// Of a digital input; `nil` follows the signal.
    public var timings: SignalTimings?

    /// Whether anything is wanted of the input itself.
    var isOfInput: Bool { standard != 0 || detectsStandard || timings != nil }

    public init(width: Int = 0, height: Int = 0, fourcc: UInt32 = 0, fpsNumerator: Int = 0, fpsDenominator: Int = 1) {
        self.width = width
        self.height = height
        self.fourcc = fourcc
        self.fpsNumerator = fpsNumerator
        self.fpsDenominator = fpsDenominator
    }
}
