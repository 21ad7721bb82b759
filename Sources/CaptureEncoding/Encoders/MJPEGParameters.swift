/// How raw pictures become JPEG.
///
/// *thread-safe*
public struct MJPEGParameters: Hashable, Sendable {
    public enum Chroma: String, Hashable, Sendable, CaseIterable {
        /// 4:2:2 from 4:2:2 and RGB, 4:2:0 from 4:2:0.
        case asSource = "source"
        case yuv422 = "422"
        case yuv420 = "420"
    }

    public enum Range: String, Hashable, Sendable, CaseIterable {
        /// What the camera says.
        case asSource = "source"
        /// Y of 16 to 235, V4L2's default for YUV; widened to JFIF's 0 to 255.
        case limited
        /// Y of 0 to 255.
        case full
    }

    /// How coarse each frequency is.
    public enum Quantization: String, Hashable, Sendable, CaseIterable {
        /// Nearly the same steps for all frequencies and for colour as for brightness, and what is between two steps is
        /// rounded down where it is small: the fewest bytes for equal likeness (SSIM).
        case even
        /// The tables of ITU-T T.81, annex K, as most programs have them: coarse in colour and in fine detail.
        case annexK
    }

    /// The Huffman codes; each image has them in it.
    public enum Codes: String, Hashable, Sendable, CaseIterable {
        /// Made from the pictures before, every sixteen pictures, and for the first one from itself.
        case fitted
        /// Those of ITU-T T.81, annex K, for decoders that know no others.
        case standard
    }

    /// 1 (small) to 100 (large); 90 looks like the source.
    public var quality = 90
    public var chroma = Chroma.asSource
    /// Which range the camera's YUV has, where the camera says it wrongly; without a meaning for RGB and grey.
    public var range = Range.asSource

    public var quantization = Quantization.even
    public var codes = Codes.fitted

    public init(
        quality: Int = 90, chroma: Chroma = .asSource, range: Range = .asSource, quantization: Quantization = .even,
        codes: Codes = .fitted
    ) {
        self.quality = quality
        self.chroma = chroma
        self.range = range
        self.quantization = quantization
        self.codes = codes
    }
}
