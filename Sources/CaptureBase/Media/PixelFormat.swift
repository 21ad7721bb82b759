/// Layout of pixels in memory, named by V4L2's four character code.
///
/// *thread-safe*
public struct PixelFormat: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
    /// The code with its first character in the low byte, as `v4l2_fourcc` makes it.
    public let rawValue: UInt32

    /// Takes any number that a driver reports, known or not.
    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// Parses a code as users and `v4l2-ctl` write it.
    ///
    /// - Parameter code: two to four ASCII characters, such as `YUYV`; shorter codes are filled up with spaces. A final
    ///   `-BE` means the form with the high byte first, as in `Y16-BE` (`v4l2_fourcc_be`).
    /// - Returns: `nil` for anything else.
    public init?(_ code: String) {
        let isBigEndian = code.hasSuffix(Self.bigEndian)
        let bytes = Array(code.utf8.dropLast(isBigEndian ? Self.bigEndian.utf8.count : 0))
        guard (2...4).contains(bytes.count), bytes.allSatisfy({ $0 > 0x1F && $0 < 0x7F }) else { return nil }
        let letters = (0..<4).reduce(0) { $0 | UInt32($1 < bytes.count ? bytes[$1] : 0x20) << (8 * UInt32($1)) }
        rawValue = letters | (isBigEndian ? 1 << 31 : 0)
    }

    /// Suffix for bit 31, which `v4l2_fourcc_be` sets.
    private static let bigEndian = "-BE"

    /// Makes a code of four characters known at compile time; can't fail.
    private init(_ a: Unicode.Scalar, _ b: Unicode.Scalar, _ c: Unicode.Scalar, _ d: Unicode.Scalar) {
        rawValue = a.value | b.value << 8 | c.value << 16 | d.value << 24
    }

    /// 4:2:2 packed: Y0 Cb Y1 Cr.
    public static let yuyv = PixelFormat("Y", "U", "Y", "V")
    /// 4:2:2 packed: Cb Y0 Cr Y1.
    public static let uyvy = PixelFormat("U", "Y", "V", "Y")
    /// 4:2:0: a plane of Y, then one of interleaved Cb and Cr.
    public static let nv12 = PixelFormat("N", "V", "1", "2")
    /// 4:2:0: planes of Y, Cb and Cr.
    public static let yuv420 = PixelFormat("Y", "U", "1", "2")
    /// 8 bits of grey per pixel.
    public static let grey = PixelFormat("G", "R", "E", "Y")
    /// Bytes R, G, B.
    public static let rgb24 = PixelFormat("R", "G", "B", "3")
    /// Bytes B, G, R.
    public static let bgr24 = PixelFormat("B", "G", "R", "3")
    /// Bytes B, G, R, A (V4L2_PIX_FMT_ABGR32).
    public static let bgra32 = PixelFormat("A", "R", "2", "4")
    /// Bytes R, G, B, A (V4L2_PIX_FMT_RGBA32).
    public static let rgba32 = PixelFormat("A", "B", "2", "4")
    /// One JPEG image per frame, often without Huffman tables.
    public static let mjpeg = PixelFormat("M", "J", "P", "G")
    /// One complete JFIF image per frame.
    public static let jpeg = PixelFormat("J", "P", "E", "G")

    /// One image of an H.264 stream per frame, between start codes (ITU-T H.264, annex B), mostly predicted from others.
    public static let h264 = PixelFormat("H", "2", "6", "4")
    /// One image of an H.265 stream per frame, between start codes (ITU-T H.265).
    public static let hevc = PixelFormat("H", "E", "V", "C")

    /// True if a frame is a JPEG image.
    public var isJPEG: Bool { self == .mjpeg || self == .jpeg }

    /// True if the camera has predicted frames from one another: none can be shown without those before it.
    public var isPredicted: Bool { self == .h264 || self == .hevc }

    /// Name of the predictive coding standard, for people.
    package var streamTitle: String { self == .h264 ? "H.264" : "H.265" }

    /// True if the camera has compressed the frames already.
    public var isCompressed: Bool { isJPEG || isPredicted }

    /// The code without padding spaces. `?` replaces a byte that is not a visible ASCII character.
    public var description: String {
        let characters = (0..<4).map { UInt8(truncatingIfNeeded: (rawValue & 0x7FFF_FFFF) >> (8 * UInt32($0))) }
        let letters = String(decoding: characters.map { $0 > 0x1F && $0 < 0x7F ? $0 : 0x3F }, as: UTF8.self)
        return letters.trimmingSuffix(" ") + (rawValue >> 31 == 1 ? Self.bigEndian : "")
    }
}

extension String {
    fileprivate func trimmingSuffix(_ character: Character) -> String {
        var text = self
        while text.last == character { text.removeLast() }
        return text
    }
}

extension PixelFormat {
    /// Kind of samples, which decides on matrix and range of the colours.
    package enum Family: Hashable {
        case yuv, grey, compressed
        /// Red, green and blue; hues and mosaics (Bayer) are among them.
        case rgb
    }

    /// Family of this format; an unknown format counts as Y, Cb and Cr, as most cameras deliver.
    package var family: Family {
        if isCompressed { return .compressed }
        return isHue || Self.red.contains(self) ? .rgb : Self.greys.contains(self) ? .grey : .yuv
    }

    /// True for hue, saturation and value, whose hue has no limited range.
    package var isHue: Bool { Self.hues.contains(self) }

    /// Formats of a list of four character codes.
    private static func codes(_ text: String) -> Set<PixelFormat> {
        Set(text.split(separator: " ").compactMap { PixelFormat(String($0)) })
    }

    private static let hues = codes("HSV3 HSV4")
    private static let greys = codes("GREY Y04 Y06 Y10 Y012 Y12 Y14 Y16 Y16-BE Y10B Y10P Y12P Y14P Z16")

    /// V4L2's RGB formats: packed ones of 8 to 64 bits per pixel, then mosaics.
    private static let red = codes(
        """
        RGB1 R444 AR12 XR12 RA12 RX12 AB12 XB12 GA12 BX12 RGBO AR15 XR15 RA15 RX15 AB15 XB15 BA15 BX15 RGBP RGBQ \
        AR15-BE XR15-BE RGBR BGRH BGR3 RGB3 BGR4 AR24 XR24 RA24 RX24 RGB4 BA24 BX24 AB24 XB24 RX30 RA30 AR30 B312 \
        B412 BGR6 RGB6 \
        BA81 GBRG GRBG RGGB S680 BYR2 BG10 GB10 BA10 RG10 pBAA pGAA pgAA pRAA aBA8 aGA8 agA8 aRA8 bBA8 bGA8 bgA8 \
        bRA8 BG12 GB12 BA12 RG12 pBCC pGCC pgCC pRCC BG14 GB14 GR14 RG14 pBEE pGEE pgEE pREE GB16 GR16 RG16
        """)
}
