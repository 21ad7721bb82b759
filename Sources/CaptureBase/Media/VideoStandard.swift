/// How an analogue picture is sent: V4L2's set of standards (`V4L2_STD_*`).
///
/// *thread-safe*
public struct VideoStandard: Hashable, Sendable, CustomStringConvertible {
    /// A bit a standard.
    public let rawValue: UInt64

    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// Whatever the signal has, as far as the driver can tell (`VIDIOC_QUERYSTD`).
    public static let automatic = VideoStandard(rawValue: 0)

    /// - Parameter name: `auto`, a family such as `pal`, `ntsc` and `secam`, or one of it such as `PAL-M`; in any case.
    /// - Returns: `nil` for anything else.
    public init?(_ name: String) {
        let name = name.lowercased()
        if name == "auto" {
            self = .automatic
        } else if let known = Self.named.first(where: { $0.name.lowercased() == name }) {
            self = VideoStandard(rawValue: known.bits)
        } else {
            return nil
        }
    }

    /// Its name; of several, those of all.
    public var description: String {
        if rawValue == 0 { return "auto" }
        if let known = Self.named.first(where: { $0.bits == rawValue }) { return known.name }
        return Self.parts(of: rawValue).map(\.description).joined(separator: ", ")
    }

    /// The families and single standards that an input takes.
    package static func parts(of all: UInt64) -> [VideoStandard] {
        named.filter { all & $0.bits == $0.bits }.map { VideoStandard(rawValue: $0.bits) }
    }

    /// As videodev2.h has them; families first.
    private static let named: [(name: String, bits: UInt64)] = [
        ("PAL", 0xFF), ("NTSC", 0xB000), ("SECAM", 0xFF_0000), ("PAL-BG", 0x7), ("PAL-DK", 0xE0),
        ("SECAM-DK", 0x32_0000), ("PAL-B", 0x1), ("PAL-B1", 0x2), ("PAL-G", 0x4), ("PAL-H", 0x8), ("PAL-I", 0x10),
        ("PAL-D", 0x20), ("PAL-D1", 0x40), ("PAL-K", 0x80), ("PAL-M", 0x100), ("PAL-N", 0x200), ("PAL-Nc", 0x400),
        ("PAL-60", 0x800), ("NTSC-M", 0x1000), ("NTSC-M-JP", 0x2000), ("NTSC-443", 0x4000), ("NTSC-M-KR", 0x8000),
        ("SECAM-B", 0x1_0000), ("SECAM-D", 0x2_0000), ("SECAM-G", 0x4_0000), ("SECAM-H", 0x8_0000),
        ("SECAM-K", 0x10_0000), ("SECAM-K1", 0x20_0000), ("SECAM-L", 0x40_0000), ("SECAM-Lc", 0x80_0000),
    ]
}
