import CaptureBase

/// One size of one pixel format, or a range of sizes, with the frame rates it comes at.
///
/// *thread-safe*
public struct VideoMode: Hashable, Sendable, Codable {
    public let pixelFormat: PixelFormat
    /// Pixels; the largest, where the device takes a range of sizes.
    public let width: Int
    /// Pixels; the largest, where the device takes a range of sizes.
    public let height: Int
    /// The sizes below, where the device takes a range of them.
    public let smaller: SizeSteps?
    /// Fastest first; empty where the device does not say.
    public let frameRates: [FrameRate]
    /// Whether the device takes what lies between the first and the last of `frameRates`, too.
    public let takesRatesBetween: Bool

    public init(
        pixelFormat: PixelFormat, width: Int, height: Int, smaller: SizeSteps? = nil, frameRates: [FrameRate],
        takesRatesBetween: Bool = false
    ) {
        self.pixelFormat = pixelFormat
        self.width = width
        self.height = height
        self.smaller = smaller
        self.frameRates = frameRates
        self.takesRatesBetween = takesRatesBetween
    }
}
