/// What a camera is asked for; a 0 leaves it as it stands.
///
/// *thread-safe*
public struct CameraSettings: BitwiseCopyable, Sendable, Hashable {
    /// Pixels.
    public var width: Int
    public var height: Int
    /// V4L2's four character code, first character in the low byte.
    public var fourcc: UInt32
    /// Pictures in `fpsDenominator` seconds.
    public var fpsNumerator: Int
    public var fpsDenominator: Int

    public init(width: Int = 0, height: Int = 0, fourcc: UInt32 = 0, fpsNumerator: Int = 0, fpsDenominator: Int = 1) {
        self.width = width
        self.height = height
        self.fourcc = fourcc
        self.fpsNumerator = fpsNumerator
        self.fpsDenominator = fpsDenominator
    }
}
