/// What the samples of a picture mean, by the words of ITU-T H.273.
///
/// *thread-safe*
public struct Colorimetry: Hashable, Sendable, Codable {
    /// Which red, green and blue.
    public enum Primaries: String, Hashable, Sendable, Codable, CaseIterable {
        /// Also those of sRGB.
        case bt709
        case bt470M = "bt470m"
        case bt470BG = "bt470bg"
        case smpte170M = "smpte170m"
        case smpte240M = "smpte240m"
        case bt2020
        case dciP3 = "dci-p3"
        /// Of opRGB (Adobe's), for which H.273 has no number.
        case opRGB = "oprgb"
        case unspecified
    }

    /// How light becomes a value.
    public enum Transfer: String, Hashable, Sendable, Codable, CaseIterable {
        /// Also that of BT.601 and BT.2020.
        case bt709
        case srgb
        case smpte240M = "smpte240m"
        case linear
        case dciP3 = "dci-p3"
        /// SMPTE ST 2084, perceptual quantization.
        case pq
        /// Of opRGB (Adobe's), for which H.273 has no number.
        case opRGB = "oprgb"
        case unspecified
    }

    /// How Y, Cb and Cr are made of red, green and blue.
    public enum Matrix: String, Hashable, Sendable, Codable, CaseIterable {
        /// Not at all.
        case rgb
        case bt601
        case bt709
        case smpte240M = "smpte240m"
        case bt2020
        /// BT.2020 with Y of the light itself.
        case bt2020Constant = "bt2020-constant"
    }

    public enum Range: String, Hashable, Sendable, Codable, CaseIterable {
        /// Y, or red, green and blue, of 16 to 235; Cb and Cr of 16 to 240.
        case limited
        /// 0 to 255.
        case full
    }

    public var primaries: Primaries
    public var transfer: Transfer
    public var matrix: Matrix
    public var range: Range

    public init(primaries: Primaries, transfer: Transfer, matrix: Matrix, range: Range) {
        self.primaries = primaries
        self.transfer = transfer
        self.matrix = matrix
        self.range = range
    }

    /// What webcams mean that say nothing: the colours of sRGB, and of them BT.601's Y, Cb and Cr.
    package init(usualOf pixelFormat: PixelFormat) {
        let family = pixelFormat.family
        self.init(
            primaries: .bt709, transfer: .srgb, matrix: family == .rgb ? .rgb : .bt601,
            range: family == .yuv ? .limited : .full)
    }

    /// The same colours as JFIF has them: Y, Cb and Cr of BT.601, all values (ITU-T T.871).
    public var asJPEG: Colorimetry {
        Colorimetry(primaries: primaries, transfer: transfer, matrix: .bt601, range: .full)
    }

    /// What libv4lconvert makes of it: it knows no range, and leaves it as it is.
    package var converted: Colorimetry {
        Colorimetry(primaries: primaries, transfer: transfer, matrix: .rgb, range: range)
    }
}
