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

/// Frames a second as a fraction, such as 30000/1001.
///
/// *thread-safe*
public struct FrameRate: Hashable, Sendable, Codable, CustomStringConvertible {
    /// Frames in `denominator` seconds, 1 upwards.
    public let numerator: Int
    public let denominator: Int

    /// - Returns: `nil` unless both are 1 or more.
    public init?(_ numerator: Int, _ denominator: Int = 1) {
        guard numerator > 0, denominator > 0 else { return nil }
        self.numerator = numerator
        self.denominator = denominator
    }

    package init(unchecked numerator: Int, _ denominator: Int) {
        self.numerator = numerator
        self.denominator = denominator
    }

    public var framesPerSecond: Double { Double(numerator) / Double(denominator) }

    /// How long one frame lasts, in nanoseconds.
    public var frameNanoseconds: Int64 { Int64(denominator) * 1_000_000_000 / Int64(numerator) }

    public var description: String {
        numerator % denominator == 0 ? "\(numerator / denominator)" : "\(numerator)/\(denominator)"
    }
}

/// The shape of a pixel on the screen: 59:54, PAL's, is wider than high.
///
/// *thread-safe*
public struct PixelAspect: Hashable, Sendable, Codable, CustomStringConvertible {
    /// In lowest terms, 1 upwards.
    public let width: Int
    public let height: Int

    /// - Returns: `nil` unless both are 1 or more.
    public init?(_ width: Int, _ height: Int) {
        guard width > 0, height > 0 else { return nil }
        var (a, b) = (width, height)
        while b != 0 { (a, b) = (b, a % b) }
        self.width = width / a
        self.height = height / a
    }

    public var isSquare: Bool { width == height }

    public var description: String { "\(width):\(height)" }
}

/// Whether the rows of a picture are of one moment.
///
/// *thread-safe*
public enum FieldOrder: String, Hashable, Sendable, Codable, CaseIterable {
    case progressive
    /// Every second row, from the first on, was taken first.
    case topFirst = "top"
    /// Every second row, from the second on, was taken first.
    case bottomFirst = "bottom"
}
