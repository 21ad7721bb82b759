import CaptureBase

/// Codec of a camera that encodes its own frames as NAL units.
///
/// *thread-safe*
enum UnitCodec: Hashable, Sendable {
    /// ITU-T H.264.
    case avc
    /// ITU-T H.265.
    case hevc

    /// - Returns: `nil` for pixel formats that are no such stream.
    init?(_ format: PixelFormat) {
        switch format {
        case .h264: self = .avc
        case .hevc: self = .hevc
        default: return nil
        }
    }

    /// CodecID of Matroska.
    var matroskaID: String { self == .avc ? "V_MPEG4/ISO/AVC" : "V_MPEGH/ISO/HEVC" }

    /// Bytes of a unit's header (ITU-T H.264, 7.3.1; H.265, 7.3.1.2).
    var headBytes: Int { self == .avc ? 1 : 2 }

    /// Type of a unit by its first byte.
    func type(_ first: UInt8) -> UInt8 { self == .avc ? first & 31 : first >> 1 & 63 }

    /// True for a part of a frame (VCL).
    func isSlice(_ type: UInt8) -> Bool { self == .avc ? (1...5).contains(type) : type < 32 }

    /// True for a part of a frame at which decoding can start: IDR; of H.265 also BLA and CRA (7.4.2.2).
    func isKey(_ type: UInt8) -> Bool { self == .avc ? type == 5 : (16...23).contains(type) }

    /// True for a frame that resets the order of display: IDR.
    func isInstant(_ type: UInt8) -> Bool { self == .avc ? type == 5 : type == 19 || type == 20 }

    /// Kind of parameter set; `nil` for any other unit.
    func set(_ type: UInt8) -> ParameterSet.Kind? {
        switch (self, type) {
        case (.hevc, 32): .video
        case (.avc, 7), (.hevc, 33): .sequence
        case (.avc, 8), (.hevc, 34): .picture
        default: nil
        }
    }
}

extension UnitCodec {
    /// Splits units at their lengths of four bytes, as `avcC` and `hvcC` announce them; ends at the first that is cut off.
    static func units(behindLengths bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        var units: [ArraySlice<UInt8>] = []
        var at = 0
        while at + 4 <= bytes.count {
            let length = bytes[at..<at + 4].reduce(0) { $0 << 8 | Int($1) }
            guard length > 0, at + 4 + length <= bytes.count else { break }
            units.append(bytes[at + 4..<at + 4 + length])
            at += 4 + length
        }
        return units
    }
}

/// One frame of a camera's own stream, as its units show without decoding them.
///
/// A buffer of the driver contains one complete frame: V4L2 requires this for H264 and HEVC. Nothing in it is trusted.
///
/// *thread-safe*
struct AccessUnit {
    /// Units in the buffer.
    private(set) var units = 0
    /// Decoding can start here.
    private(set) var isKey = false
    /// Some part is not a unit, or not the beginning of a frame.
    private var isDamaged = false
    /// All units are parameter sets.
    private var isOfSets = true
    /// Parameter sets in the buffer.
    private(set) var hasSets = false
    /// Offsets of the frame's first slice, and its type.
    private(set) var slice: (start: Int, end: Int)?
    private(set) var sliceType: UInt8 = 0

    /// Only parameter sets: some encoders put them in a separate buffer (V4L2_MPEG_VIDEO_HEADER_MODE_SEPARATE).
    var isHeader: Bool { !isDamaged && hasSets && isOfSets }

    /// Neither a frame nor its parameter sets. If only the end of a frame is missing, the units do not show it; the driver's error
    /// flag does.
    var isBroken: Bool { isDamaged || slice == nil && !isHeader }

    /// Reads what a buffer has.
    init(_ bytes: UnsafeRawBufferPointer, _ codec: UnitCodec) {
        var scanner = UnitScanner(bytes)
        isDamaged = !scanner.beginsWithUnit
        while let unit = scanner.unit() {
            units += 1
            guard unit.end - unit.start > codec.headBytes, bytes[unit.start] < 0x80 else {
                isDamaged = true
                continue
            }
            let type = codec.type(bytes[unit.start])
            let isSet = codec.set(type) != nil
            hasSets = hasSets || isSet
            isOfSets = isOfSets && isSet
            if codec.isSlice(type), slice == nil { note(unit, type, bytes, codec) }
        }
    }

    /// Notes the first slice: its data begin with a bit that is set at the beginning of a frame (first_mb_in_slice is 0,
    /// first_slice_segment_in_pic_flag).
    private mutating func note(
        _ unit: (start: Int, end: Int), _ type: UInt8, _ bytes: UnsafeRawBufferPointer, _ codec: UnitCodec
    ) {
        slice = unit
        sliceType = type
        isKey = codec.isKey(type)
        if bytes[unit.start + codec.headBytes] < 0x80 { isDamaged = true }
    }
}
