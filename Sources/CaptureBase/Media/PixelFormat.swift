/// How pixels stand in memory: V4L2's four character code.
///
/// *thread-safe*
public struct PixelFormat: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
    /// The code, first character in the low byte, as `v4l2_fourcc` makes it.
    public let rawValue: UInt32

    public init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// - Parameter code: two to four ASCII characters, such as `YUYV`; shorter codes are filled up with spaces. `-BE` at
    ///   the end is the form with the high byte first, as in `Y16-BE` (`v4l2_fourcc_be`).
    /// - Returns: `nil` for anything else.
    public init?(_ code: String) {
        let isBigEndian = code.hasSuffix(Self.bigEndian)
        let bytes = Array(code.utf8.dropLast(isBigEndian ? Self.bigEndian.utf8.count : 0))
        guard (2...4).contains(bytes.count), bytes.allSatisfy({ $0 > 0x1F && $0 < 0x7F }) else { return nil }
        let letters = (0..<4).reduce(0) { $0 | UInt32($1 < bytes.count ? bytes[$1] : 0x20) << (8 * UInt32($1)) }
        rawValue = letters | (isBigEndian ? 1 << 31 : 0)
    }

    private static let bigEndian = "-BE"

    private init(_ a: Unicode.Scalar, _ b: Unicode.Scalar, _ c: Unicode.Scalar, _ d: Unicode.Scalar) {
        rawValue = a.value | b.value << 8 | c.value << 16 | d.value << 24
    }

    /// 4:2:2 packed, Y0 Cb Y1 Cr.
    public static let yuyv = PixelFormat("Y", "U", "Y", "V")
    /// 4:2:2 packed, Cb Y0 Cr Y1.
    public static let uyvy = PixelFormat("U", "Y", "V", "Y")
    /// 4:2:0, a plane of Y, then one of interleaved Cb Cr.
    public static let nv12 = PixelFormat("N", "V", "1", "2")
    /// 4:2:0, planes Y, Cb, Cr.
    public static let yuv420 = PixelFormat("Y", "U", "1", "2")
    /// 8 bits of grey.
    public static let grey = PixelFormat("G", "R", "E", "Y")
    /// R, G, B bytes.
    public static let rgb24 = PixelFormat("R", "G", "B", "3")
    /// B, G, R bytes.
    public static let bgr24 = PixelFormat("B", "G", "R", "3")
    /// A JPEG image a frame, often without Huffman tables.
    public static let mjpeg = PixelFormat("M", "J", "P", "G")
    /// A whole JFIF image a frame.
    public static let jpeg = PixelFormat("J", "P", "E", "G")

    /// Whether a frame is an image that is already compressed.
    public var isCompressed: Bool { self == .mjpeg || self == .jpeg }

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
