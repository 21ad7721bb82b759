/// State of the signal at a source's input, or of the shutter at its lens.
///
/// *thread-safe*
public enum SignalState: UInt8, BitwiseCopyable, Sendable, Hashable, CaseIterable {
    /// A signal is present, as far as the source can detect it.
    case present
    /// A shutter is closed (`V4L2_CID_PRIVACY`).
    case covered
    /// The other end of the cable is off or absent (`V4L2_IN_ST_NO_POWER`, `V4L2_CID_DV_RX_POWER_PRESENT`).
    case noPower
    /// Nothing is connected, or it sends nothing (`V4L2_IN_ST_NO_SIGNAL`, `ENOLINK`).
    case noSignal
    /// The source can't follow the signal (`V4L2_IN_ST_NO_H_LOCK`, `V4L2_IN_ST_NO_SYNC`, `ENOLCK`).
    case noLock
    /// The source can't take the signal's size or rate (`ERANGE`).
    case outOfRange

    /// The raw value, for the fence: the synthesized `rawValue` and `==` carry no marks.
    package var code: UInt8 {
        @_noLocks @_noAllocation get {
            switch self {
            case .present: 0
            case .covered: 1
            case .noPower: 2
            case .noSignal: 3
            case .noLock: 4
            case .outOfRange: 5
            }
        }
    }

    /// Flag of each frame that is taken in this state.
    package var flag: FrameFlags {
        @_noLocks @_noAllocation get {
            switch self {
            case .present: FrameFlags(rawValue: 0)
            case .covered: FrameFlags.covered
            case .noPower, .noSignal, .noLock, .outOfRange: FrameFlags.noSignal
            }
        }
    }
}

/// Size and rate of a digital signal.
///
/// *thread-safe*
public struct SignalTimings: BitwiseCopyable, Sendable, Hashable {
    /// Width in pixels.
    public var width: Int
    /// Height in pixels, of both fields together.
    public var height: Int
    public var isInterlaced: Bool
    /// Frame rate, in frames per 1000 s.
    public var millihertz: Int

    @_noLocks @_noAllocation
    public init(width: Int, height: Int, isInterlaced: Bool, millihertz: Int) {
        self.width = width
        self.height = height
        self.isInterlaced = isInterlaced
        self.millihertz = millihertz
    }

    /// True if both have the same size and scan, and rates within 0.5 %, because receivers measure a rate no more exactly. A
    /// device that is set up for one of them can then capture the other without a new setup.
    @_noLocks @_noAllocation
    public func isLike(_ other: SignalTimings) -> Bool {
        guard width == other.width, height == other.height, isInterlaced == other.isInterlaced else { return false }
        let off = millihertz - other.millihertz
        return off <= other.millihertz / 200 && -off <= other.millihertz / 200
    }

    /// Value in one word, for an atomic: 16 bits for each side, 31 for the rate. 0 means none.
    package var packed: UInt64 {
        @_noLocks @_noAllocation get {
            UInt64(truncatingIfNeeded: width & 0xFFFF) << 48 | UInt64(truncatingIfNeeded: height & 0xFFFF) << 32
                | UInt64(truncatingIfNeeded: millihertz & 0x7FFF_FFFF) << 1 | (isInterlaced ? 1 : 0)
        }
    }

    package init?(packed: UInt64) {
        guard packed != 0 else { return nil }
        self.init(
            width: Int(packed >> 48), height: Int(packed >> 32 & 0xFFFF), isInterlaced: packed & 1 == 1,
            millihertz: Int(packed >> 1 & 0x7FFF_FFFF))
    }
}

/// Change of a source's signal, reported between two frames.
///
/// *realtime-safe*
public enum SignalEvent: BitwiseCopyable, Sendable, Hashable {
    /// The signal came, went, or became unusable; or the shutter moved.
    case state(SignalState)
    /// The signal differs from the one that the device is set up for.
    case changed(SignalTimings)
    /// The device announced that no more data will come (`V4L2_EVENT_EOS`).
    case over
}

/// Analogue television standard, or a set of them (`V4L2_STD_*`).
///
/// *thread-safe*
public struct VideoStandard: Hashable, Sendable, CustomStringConvertible {
    /// One bit per standard, as in videodev2.h.
    public let rawValue: UInt64

    /// Takes any set of bits that a driver reports.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// The standard of the signal, as far as the driver can detect it (`VIDIOC_QUERYSTD`).
    public static let automatic = VideoStandard(rawValue: 0)

    /// Parses a name in any case.
    ///
    /// - Parameter name: `auto`; a family such as `pal`, `ntsc` and `secam`; or one standard such as `PAL-M`.
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

    /// Name of the standard or family; the names of all members for a set without a name.
    public var description: String {
        if rawValue == 0 { return "auto" }
        if let known = Self.named.first(where: { $0.bits == rawValue }) { return known.name }
        return Self.parts(of: rawValue).map(\.description).joined(separator: ", ")
    }

    /// Families and single standards that are completely contained in a set.
    package static func parts(of all: UInt64) -> [VideoStandard] {
        named.filter { all & $0.bits == $0.bits }.map { VideoStandard(rawValue: $0.bits) }
    }

    /// Names and bits of videodev2.h; families come first, so that a whole family gets its own name.
    private static let named: [(name: String, bits: UInt64)] = [
        ("PAL", 0xFF), ("NTSC", 0xB000), ("SECAM", 0xFF_0000), ("PAL-BG", 0x7), ("PAL-DK", 0xE0),
        ("SECAM-DK", 0x32_0000), ("PAL-B", 0x1), ("PAL-B1", 0x2), ("PAL-G", 0x4), ("PAL-H", 0x8), ("PAL-I", 0x10),
        ("PAL-D", 0x20), ("PAL-D1", 0x40), ("PAL-K", 0x80), ("PAL-M", 0x100), ("PAL-N", 0x200), ("PAL-Nc", 0x400),
        ("PAL-60", 0x800), ("NTSC-M", 0x1000), ("NTSC-M-JP", 0x2000), ("NTSC-443", 0x4000), ("NTSC-M-KR", 0x8000),
        ("SECAM-B", 0x1_0000), ("SECAM-D", 0x2_0000), ("SECAM-G", 0x4_0000), ("SECAM-H", 0x8_0000),
        ("SECAM-K", 0x10_0000), ("SECAM-K1", 0x20_0000), ("SECAM-L", 0x40_0000), ("SECAM-Lc", 0x80_0000),
    ]
}

/// Size and rate of a digital video signal (HDMI, SDI), such as `1920x1080p60` or `1920x1080i50`.
///
/// *thread-safe*
public struct VideoTimings: Hashable, Sendable, CustomStringConvertible {
    /// The same timings in the capture loop's form: without text, so that they fit into an atomic.
    package let shape: SignalTimings

    package init(_ shape: SignalTimings) { self.shape = shape }

    /// Parses timings in any case.
    ///
    /// - Parameter text: width, `x`, height, `p` or `i`, and frames per second, or fields per second after `i`. 60 means 59.94,
    ///   too.
    /// - Returns: `nil` for anything else.
    public init?(_ text: String) {
        let text = text.lowercased()
        guard let mark = text.lastIndex(where: { $0 == "p" || $0 == "i" }) else { return nil }
        let sides = text[..<mark].split(separator: "x", omittingEmptySubsequences: false)
        guard sides.count == 2, let width = Int(sides[0]), let height = Int(sides[1]),
            let rate = Double(text[text.index(after: mark)...]), (1...65_535).contains(width),
            (1...65_535).contains(height), (1...1000).contains(rate)
        else { return nil }
        let isInterlaced = text[mark] == "i"
        // 48 interlaced frames do not exist, and 24 fields are not called a rate: above 40, the number after `i` counts fields.
        let frames = isInterlaced && rate > 40 ? rate / 2 : rate
        shape = SignalTimings(
            width: width, height: height, isInterlaced: isInterlaced, millihertz: Int((frames * 1000).rounded()))
    }

    /// Width in pixels.
    public var width: Int { shape.width }
    /// Height in pixels, of both fields together.
    public var height: Int { shape.height }
    /// True if the signal comes in two fields per frame.
    public var isInterlaced: Bool { shape.isInterlaced }
    /// Frames per second; fields per second where interlaced.
    public var rate: Double { Double(shape.millihertz) / 1000 * (isInterlaced ? 2 : 1) }

    /// Notation of broadcasters, with two decimals at most: `1920x1080p59.94`.
    public var description: String {
        let hundredths = Int((rate * 100).rounded())
        let part = hundredths % 100 == 0 ? "" : ".\(String(hundredths % 100 + 100).dropFirst())"
        return "\(width)x\(height)\(isInterlaced ? "i" : "p")\(hundredths / 100)\(part)"
    }
}
