/// Format of captured video, as negotiated with a camera.
///
/// *thread-safe*
public struct VideoFormat: Hashable, Sendable, Codable {
    /// Width in pixels.
    public let width: Int
    /// Height in pixels, of both fields together.
    public let height: Int
    /// Layout of the pixels.
    public let pixelFormat: PixelFormat
    /// Nominal rate; the timestamps say when frames really came.
    public let frameRate: FrameRate
    /// Distance between the starts of two rows of the first plane, in bytes; 0 for compressed formats.
    public let bytesPerLine: Int
    /// The same distance in each plane of memory.
    ///
    /// It has one element, unless the driver keeps the planes of a frame in separate buffers (V4L2's multi-planar
    /// formats with an `M` in their name). A session then delivers the planes one after the other, whole rows of each.
    public let planeBytesPerLine: [Int]
    /// V4L2_YCBCR_ENC_* or V4L2_HSV_ENC_*; 0 is the driver's default.
    package var encoding: UInt32 = 0
    /// Meaning of the samples.
    public var colorimetry: Colorimetry
    /// Temporal order of the rows.
    public var fieldOrder = FieldOrder.progressive
    /// Shape of a pixel on the screen; `nil` if the device does not report it.
    public var pixelAspect: PixelAspect?

    /// Makes a format with progressive rows and without a pixel aspect.
    ///
    /// - Parameters:
    ///   - width: pixels.
    ///   - height: pixels.
    ///   - pixelFormat: layout of the pixels.
    ///   - frameRate: nominal rate.
    ///   - bytesPerLine: distance between two rows of the first plane; 0 for compressed formats.
    ///   - planeBytesPerLine: the same of each plane of memory; `nil` for one plane.
    ///   - colorimetry: meaning of the samples; `nil` for a webcam's usual one: BT.601 with limited range for Y, Cb and
    ///     Cr, full range for RGB, grey and JPEG.
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

    /// Format of the same frames in another layout in memory.
    ///
    /// - Parameters:
    ///   - pixelFormat: layout of the pixels.
    ///   - bytesPerLine: distance between two rows of the first plane; 0 for compressed formats.
    ///   - colorimetry: meaning of the samples.
    package func laidOut(as pixelFormat: PixelFormat, bytesPerLine: Int, _ colorimetry: Colorimetry) -> VideoFormat {
        var format = VideoFormat(
            width: width, height: height, pixelFormat: pixelFormat, frameRate: frameRate, bytesPerLine: bytesPerLine,
            colorimetry: colorimetry)
        format.fieldOrder = fieldOrder
        format.pixelAspect = pixelAspect
        return format
    }
}

/// Frame rate as a fraction, such as 30000/1001 frames per second.
///
/// V4L2 has the inverse, seconds per frame (`v4l2_fract timeperframe`). A fraction stays exact over hours, a `Double`
/// does not.
///
/// *thread-safe*
public struct FrameRate: Hashable, Sendable, Codable, CustomStringConvertible {
    /// Number of frames in `denominator` seconds, 1 upwards.
    public let numerator: Int
    /// Seconds, 1 upwards.
    public let denominator: Int

    /// Makes a rate of `numerator` frames in `denominator` seconds.
    ///
    /// - Parameters:
    ///   - numerator: frames, 1 upwards.
    ///   - denominator: seconds, 1 upwards.
    /// - Returns: `nil` unless both are 1 or more.
    public init?(_ numerator: Int, _ denominator: Int = 1) {
        guard numerator > 0, denominator > 0 else { return nil }
        self.numerator = numerator
        self.denominator = denominator
    }

    /// Makes a rate of numbers that are known to be 1 or more.
    package init(unchecked numerator: Int, _ denominator: Int) {
        self.numerator = numerator
        self.denominator = denominator
    }

    /// Approximate rate, for comparison and display.
    public var framesPerSecond: Double { Double(numerator) / Double(denominator) }

    /// Duration of one frame, in whole nanoseconds, rounded down.
    public var frameDuration: Duration { .nanoseconds(frameNanoseconds) }

    /// ``frameDuration`` in ns, for computations on each frame.
    package var frameNanoseconds: Int64 { Int64(denominator) * 1_000_000_000 / Int64(numerator) }

    /// The rate as `30`, or as `30000/1001` if it is not a whole number.
    public var description: String {
        numerator % denominator == 0 ? "\(numerator / denominator)" : "\(numerator)/\(denominator)"
    }
}

/// Shape of a pixel on the screen: PAL's 59:54 is wider than high.
///
/// *thread-safe*
public struct PixelAspect: Hashable, Sendable, Codable, CustomStringConvertible {
    /// Width in lowest terms, 1 upwards.
    public let width: Int
    /// Height in lowest terms, 1 upwards.
    public let height: Int

    /// Makes an aspect in lowest terms, so that equal shapes compare equal.
    ///
    /// - Parameters:
    ///   - width: 1 upwards.
    ///   - height: 1 upwards.
    /// - Returns: `nil` unless both are 1 or more.
    public init?(_ width: Int, _ height: Int) {
        guard width > 0, height > 0 else { return nil }
        // Euclid's algorithm: `a` ends as the greatest common divisor.
        var (a, b) = (width, height)
        while b != 0 { (a, b) = (b, a % b) }
        self.width = width / a
        self.height = height / a
    }

    /// True for square pixels, such as those of webcams.
    public var isSquare: Bool { width == height }

    public var description: String { "\(width):\(height)" }
}

/// Temporal order of a frame's rows.
///
/// *thread-safe*
public enum FieldOrder: String, Hashable, Sendable, Codable, CaseIterable {
    /// All rows are of one instant.
    case progressive
    /// Interlaced: the first, third … row were taken before the others.
    case topFirst = "top"
    /// Interlaced: the second, fourth … row were taken before the others.
    case bottomFirst = "bottom"
}
