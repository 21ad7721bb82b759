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
    /// The same of each plane of memory; one, unless the device keeps the planes of a picture apart. What is read from a
    /// session then has them one after the other, whole rows of each.
    public let planeBytesPerLine: [Int]
    /// V4L2_YCBCR_ENC_* or V4L2_HSV_ENC_*; 0 is the default.
    package var encoding: UInt32 = 0
    /// What the samples mean.
    public var colorimetry: Colorimetry
    /// Whether the rows of a picture are of two moments, and which came first.
    public var fieldOrder = FieldOrder.progressive
    /// The shape of a pixel on the screen; `nil` where the device does not say.
    public var pixelAspect: PixelAspect?

    /// Where no colorimetry is said it is what webcams mean: BT.601 of limited range for Y, Cb and Cr, all values for RGB,
    /// grey and JPEG.
    public init(
        width: Int, height: Int, pixelFormat: PixelFormat, frameRate: FrameRate, bytesPerLine: Int,
        planeBytesPerLine: [Int]? = nil, colorimetry: Colorimetry? = nil
    ) {
        self.width = width
        self.height = height
        self.pixelFormat = pixelFormat
        self.frameRate = frameRate
        self.bytesPerLine = bytesPerLine
        self.planeBytesPerLine = planeBytesPerLine ?? [bytesPerLine]
        self.colorimetry = colorimetry ?? Colorimetry(usualOf: pixelFormat)
    }
}
