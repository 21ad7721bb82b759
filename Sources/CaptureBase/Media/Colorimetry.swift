/// Meaning of a frame's samples, in the terms of ITU-T H.273.
///
/// *thread-safe*
public struct Colorimetry: Hashable, Sendable, Codable {
    /// Chromaticities of red, green, blue and white.
    public enum Primaries: String, Hashable, Sendable, Codable, CaseIterable {
        /// BT.709's, which are sRGB's too.
        case bt709
        /// The first NTSC of 1953.
        case bt470M = "bt470m"
        /// PAL and SECAM.
        case bt470BG = "bt470bg"
        /// NTSC as it is used, and BT.601 with 525 lines.
        case smpte170M = "smpte170m"
        case smpte240M = "smpte240m"
        case bt2020
        case dciP3 = "dci-p3"
        /// Primaries of opRGB (Adobe RGB); H.273 has no number for them.
        case opRGB = "oprgb"
        /// Not reported by the device.
        case unspecified
    }

    /// Transfer characteristics: the curve between light and sample value.
    public enum Transfer: String, Hashable, Sendable, Codable, CaseIterable {
        /// BT.709's, which BT.601 and BT.2020 share.
        case bt709
        /// IEC 61966-2-1.
        case srgb
        case smpte240M = "smpte240m"
        case linear
        case dciP3 = "dci-p3"
        /// SMPTE ST 2084, perceptual quantization.
        case pq
        /// Transfer of opRGB (Adobe RGB); H.273 has no number for it.
        case opRGB = "oprgb"
        /// Not reported by the device.
        case unspecified
    }

    /// Matrix coefficients: derivation of Y, Cb and Cr from red, green and blue.
    public enum Matrix: String, Hashable, Sendable, Codable, CaseIterable {
        /// None: the samples are red, green and blue (H.273's identity matrix).
        case rgb
        case bt601
        case bt709
        case smpte240M = "smpte240m"
        /// BT.2020 with non-constant luminance, the usual one.
        case bt2020
        /// BT.2020 with constant luminance: Y is derived from linear light.
        case bt2020Constant = "bt2020-constant"
    }

    /// Interval of sample values that black to white takes.
    public enum Range: String, Hashable, Sendable, Codable, CaseIterable {
        /// Y, or red, green and blue, from 16 to 235; Cb and Cr from 16 to 240.
        case limited
        /// All values from 0 to 255.
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

    /// Colorimetry of a webcam that reports none: sRGB's colours, with BT.601's matrix for Y, Cb and Cr.
    ///
    /// UVC cameras without a colour matching descriptor mean these values (USB Video Class 1.5, 3.9.2.6).
    package init(usualOf pixelFormat: PixelFormat) {
        let family = pixelFormat.family
        self.init(
            primaries: .bt709, transfer: .srgb, matrix: family == .rgb ? .rgb : .bt601,
            range: family == .yuv ? .limited : .full)
    }

    /// The same colours as JFIF encodes them: BT.601's matrix and full range (ITU-T T.871).
    public var asJPEG: Colorimetry {
        Colorimetry(primaries: primaries, transfer: transfer, matrix: .bt601, range: .full)
    }

    /// Colorimetry after conversion to RGB by libv4lconvert, which does not convert the range.
    package var converted: Colorimetry {
        Colorimetry(primaries: primaries, transfer: transfer, matrix: .rgb, range: range)
    }
}
