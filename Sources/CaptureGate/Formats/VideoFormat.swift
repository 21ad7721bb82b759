/// What a camera delivers.
///
/// *thread-safe*
public struct VideoFormat: Hashable, Sendable, Codable {
    /// Pixels.
    public let width: Int
    /// Pixels.
    public let height: Int
    public let pixelFormat: PixelFormat
    public let frameRate: FrameRate
    /// From the start of one row of the first plane to the next, bytes; 0 for compressed formats.
    public let bytesPerLine: Int

    public init(width: Int, height: Int, pixelFormat: PixelFormat, frameRate: FrameRate, bytesPerLine: Int) {
        self.width = width
        self.height = height
        self.pixelFormat = pixelFormat
        self.frameRate = frameRate
        self.bytesPerLine = bytesPerLine
    }
}
