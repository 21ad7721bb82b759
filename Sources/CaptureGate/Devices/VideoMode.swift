/// One size of one pixel format, with the frame rates it comes at.
///
/// *thread-safe*
public struct VideoMode: Hashable, Sendable, Codable {
    public let pixelFormat: PixelFormat
    /// Pixels; the largest, where the device takes a range of sizes.
    public let width: Int
    /// Pixels; the largest, where the device takes a range of sizes.
    public let height: Int
    /// Fastest first; empty where the device does not say.
    public let frameRates: [FrameRate]

    public init(pixelFormat: PixelFormat, width: Int, height: Int, frameRates: [FrameRate]) {
        self.pixelFormat = pixelFormat
        self.width = width
        self.height = height
        self.frameRates = frameRates
    }
}
