import CMedia
import CaptureBase

/// Requested camera settings; 0 keeps the device's own value.
///
/// *thread-safe*
public struct CameraSettings: BitwiseCopyable, Sendable, Hashable {
    /// Width and height in pixels of a whole frame, even if it arrives as two fields.
    public var width: Int
    public var height: Int
    /// V4L2's four-character code, first character in the low byte.
    public var fourcc: UInt32
    /// Frames in `fpsDenominator` seconds.
    public var fpsNumerator: Int
    public var fpsDenominator: Int
    /// V4L2's number of the input; -1 keeps the present one.
    public var input = -1
    /// V4L2_STD_* of an analogue input.
    public var standard: UInt64 = 0
    /// True to make an analogue input follow the standard of its signal.
    public var detectsStandard = false
    /// Timings of a digital input; `nil` follows the signal.
    public var timings: SignalTimings?
    /// True if a mode with the camera's own H.264 may be chosen even if none was requested. Not part of a request to a broker.
    public var mayBePredicted = false

    /// True if anything is requested of the input itself.
    var isOfInput: Bool { standard != 0 || detectsStandard || timings != nil }

    public init(width: Int = 0, height: Int = 0, fourcc: UInt32 = 0, fpsNumerator: Int = 0, fpsDenominator: Int = 1) {
        self.width = width
        self.height = height
        self.fourcc = fourcc
        self.fpsNumerator = fpsNumerator
        self.fpsDenominator = fpsDenominator
    }
}

/// Format that a camera delivers.
///
/// *thread-safe*
public struct CameraFormat: Sendable, Hashable {
    /// Width and height in pixels of a buffer, which may hold one field of a frame.
    public var width: Int
    public var height: Int
    /// V4L2's four-character code, first character in the low byte.
    public var fourcc: UInt32
    /// Number of memory planes, 1…3. Most formats have one, including those with separate colour planes in it.
    public var layouts: [PlaneLayout]
    /// Frames in `fpsDenominator` seconds; 0 if the device does not say.
    public var fpsNumerator: Int
    public var fpsDenominator: Int
    /// V4L2_COLORSPACE_*, V4L2_YCBCR_ENC_*, V4L2_QUANTIZATION_*, V4L2_XFER_FUNC_*, V4L2_FIELD_*; 0 is the default of
    /// each.
    public var colorspace: UInt32 = 0
    public var ycbcrEncoding: UInt32 = 0
    public var quantization: UInt32 = 0
    public var transfer: UInt32 = 0
    public var field: UInt32 = 0
    /// True if frames have different sizes in bytes.
    public var isCompressed: Bool
    /// Lines of the signal's television standard, 525 or 625; 0 if it has none.
    public var standardLines = 0
    /// True for HDMI, SDI and the like.
    public var isDigital = false
    /// Aspect ratio of a pixel on the screen; 0 if the device does not say.
    public var aspectWidth = 0
    public var aspectHeight = 0

    public init(
        width: Int, height: Int, fourcc: UInt32, layouts: [PlaneLayout], fpsNumerator: Int, fpsDenominator: Int,
        isCompressed: Bool = false
    ) {
        self.width = width
        self.height = height
        self.fourcc = fourcc
        self.layouts = layouts
        self.fpsNumerator = fpsNumerator
        self.fpsDenominator = fpsDenominator
        self.isCompressed = isCompressed
    }

    public var planes: Int { layouts.count }

    public func bytesPerLine(plane: Int) -> Int { layouts[plane].bytesPerLine }

    public func sizeImage(plane: Int) -> Int { layouts[plane].sizeImage }

    /// Interval from frame to frame in ns; 0 if the device does not say.
    public var frameNanoseconds: Int64 {
        fpsNumerator > 0 ? Int64(fpsDenominator) * 1_000_000_000 / Int64(fpsNumerator) : 0
    }

    /// True if each buffer is one of the two fields of a frame, in turn: V4L2_FIELD_ALTERNATE.
    public var isAlternating: Bool { field == V4L2_FIELD_ALTERNATE.rawValue }

    /// Interval from buffer to buffer in ns; 0 if the device does not say.
    public var bufferNanoseconds: Int64 { isAlternating ? frameNanoseconds / 2 : frameNanoseconds }

    /// Refuses impossible formats before memory is reserved for them: a driver passes on a device's claims unchecked.
    ///
    /// - Throws: EPROTO, and EFBIG if a frame would have many times the bytes of its pixels.
    func check() throws(RealtimeFault) {
        let sides = 1...Self.longestSide
        guard sides.contains(width), sides.contains(height), (1...3).contains(planes) else {
            throw RealtimeFault(.getFormat, result: -EPROTO)
        }
        guard imageBytes <= 16 * width * height + Self.spareBytes,
            layouts.allSatisfy({ $0.bytesPerLine <= 16 * width + Self.spareBytes })
        else { throw RealtimeFault(.getFormat, result: -EFBIG) }
    }

    /// Number of buffers to request: fewer if they are large, at least 3.
    func bufferCount(atMost most: Int) -> Int {
        max(3, min(most, Self.memory / max(1, imageBytes)))
    }

    private var imageBytes: Int { layouts.reduce(0) { $0 + $1.sizeImage } }

    private static var longestSide: Int { 65_535 }
    /// Extra bytes to allow: rows and frames may be padded, and compressed ones have headers.
    private static var spareBytes: Int { 16 << 20 }
    /// Bytes of all buffers together: 8 of 3840×2160 in YUYV are half of it.
    private static var memory: Int { 256 << 20 }

    /// Minimum bytes of a complete plane in an uncompressed format. A driver may reserve more than it fills, so the reserved size
    /// can't be used.
    func leastBytes(plane: Int) -> Int {
        guard !isCompressed else { return 1 }
        let rows = layouts[plane].bytesPerLine * height
        return min(planes == 1 ? rows * halfPlanes / 2 : 1, layouts[plane].sizeImage)
    }

    /// Size of a memory plane as a multiple of its luma rows, or of the rows of all colours together, in halves: 2 if the colours
    /// are interleaved.
    private var halfPlanes: Int {
        switch fourcc {
        // 4:2:0: YU12, YV12, NV12, NV21, P010, P012; 4:1:1: 411P
        case 0x3231_5559, 0x3231_5659, 0x3231_564E, 0x3132_564E, 0x3031_3050, 0x3231_3050, 0x5031_3134: 3
        // 4:2:2: 422P, NV16, NV61
        case 0x5032_3234, 0x3631_564E, 0x3136_564E: 4
        // 4:4:4: NV24, NV42
        case 0x3432_564E, 0x3234_564E: 6
        default: 2
        }
    }
}

extension CameraFormat {
    /// Reads VIDIOC_G_FMT's result, which has no frame rate.
    package init(_ raw: cm_v4l2_format, isCompressed: Bool) {
        let lines = [raw.bytesperline.0, raw.bytesperline.1, raw.bytesperline.2]
        let sizes = [raw.sizeimage.0, raw.sizeimage.1, raw.sizeimage.2]
        let layouts = zip(lines, sizes).prefix(Int(raw.planes)).map {
            PlaneLayout(bytesPerLine: isCompressed ? 0 : Int($0.0), sizeImage: Int($0.1))
        }
        self.init(
            width: Int(raw.width), height: Int(raw.height), fourcc: raw.pixelformat, layouts: layouts, fpsNumerator: 0,
            fpsDenominator: 1, isCompressed: isCompressed)
        colorspace = raw.colorspace
        ycbcrEncoding = raw.ycbcr_enc
        quantization = raw.quantization
        transfer = raw.xfer_func
        field = raw.field
    }
}

/// Layout of one memory plane of a frame, bytes.
///
/// *thread-safe*
public struct PlaneLayout: BitwiseCopyable, Sendable, Hashable {
    /// Bytes from the start of one row to the start of the next; 0 for compressed formats.
    public var bytesPerLine: Int
    /// Bytes that the driver reserves for a frame.
    public var sizeImage: Int

    public init(bytesPerLine: Int, sizeImage: Int) {
        self.bytesPerLine = bytesPerLine
        self.sizeImage = sizeImage
    }
}

/// Negotiation of format and rate with an open video node: the nearest to the request that the device supports.
///
/// *session-bound*
enum CameraNegotiation {
    /// Sets format and rate, and reads back the results.
    ///
    /// - Throws: VIDIOC_G_FMT's or VIDIOC_S_FMT's error. EBUSY: another process streams.
    static func negotiate(
        _ node: borrowing CameraDescriptor, asked: CameraSettings, _ input: CameraInput
    ) throws(RealtimeFault) -> CameraFormat {
        let timings = reduced(input.numerator, input.denominator)
        try setFormat(node, asked: asked)
        let rate = setRate(node, asked: asked)
        // Read once more: some drivers change the format with the rate.
        var format = cm_v4l2_format()
        format.buffer_type = node.bufferType
        _ = try unsafe checked(.getFormat, cm_v4l2_g_fmt(node.descriptor, &format))
        let lines = max(0, Int(cm_v4l2_standard_lines(node.descriptor)))
        var result = CameraFormat(format, isCompressed: isCompressed(node, format.pixelformat))
        if let rate = rate ?? timings ?? standardRate(lines) {
            (result.fpsNumerator, result.fpsDenominator) = rate
        }
        result.standardLines = lines
        result.isDigital = timings != nil
        if let aspect = CameraAspect.measure(node, result) {
            (result.aspectWidth, result.aspectHeight) = aspect
        }
        return result
    }

    /// Frames in a number of seconds, for a television standard.
    private static func standardRate(_ lines: Int) -> (Int, Int)? {
        lines == 525 ? (30_000, 1001) : lines == 625 ? (25, 1) : nil
    }

    /// Sets the requested parts of the format; VIDIOC_S_FMT adjusts the rest.
    private static func setFormat(
        _ node: borrowing CameraDescriptor, asked: CameraSettings
    ) throws(RealtimeFault) {
        var format = cm_v4l2_format()
        format.buffer_type = node.bufferType
        _ = try unsafe checked(.getFormat, cm_v4l2_g_fmt(node.descriptor, &format))
        if asked.width > 0 { format.width = UInt32(clamping: asked.width) }
        // The request is for whole frames. A driver that delivers alternating fields counts the rows of one field.
        let fields: UInt32 = format.field == V4L2_FIELD_ALTERNATE.rawValue ? 2 : 1
        if asked.height > 0 { format.height = UInt32(clamping: asked.height) / fields }
        if asked.fourcc != 0 { format.pixelformat = asked.fourcc }
        // The driver knows its own row lengths best.
        format.bytesperline = (0, 0, 0)
        format.sizeimage = (0, 0, 0)
        _ = try unsafe checked(.setFormat, cm_v4l2_s_fmt(node.descriptor, &format))
    }

    /// Sets the rate. A device that can't change it refuses, which is no error.
    private static func setRate(_ node: borrowing CameraDescriptor, asked: CameraSettings) -> (Int, Int)? {
        var parm = cm_v4l2_parm()
        parm.numerator = UInt32(clamping: asked.fpsDenominator)
        parm.denominator = UInt32(clamping: asked.fpsNumerator)
        if asked.fpsNumerator > 0 { _ = unsafe cm_v4l2_s_parm(node.descriptor, node.bufferType, &parm) }
        guard unsafe cm_v4l2_g_parm(node.descriptor, node.bufferType, &parm) >= 0 else { return nil }
        return reduced(UInt64(parm.denominator), UInt64(parm.numerator))
    }

    /// True if the driver's list flags the format as compressed, which VIDIOC_G_FMT does not report.
    private static func isCompressed(_ node: borrowing CameraDescriptor, _ fourcc: UInt32) -> Bool {
        var description = cm_v4l2_fmtdesc()
        var index: UInt32 = 0
        // A driver with an endless list must not block the opening.
        while index < 256, unsafe cm_v4l2_enum_fmt(node.descriptor, node.bufferType, index, &description) >= 0 {
            if description.pixelformat == fourcc { return description.flags & UInt32(V4L2_FMT_FLAG_COMPRESSED) != 0 }
            index += 1
        }
        return false
    }

    /// A ratio in lowest terms; `nil` if one of both numbers is 0.
    static func reduced(_ numerator: UInt64, _ denominator: UInt64) -> (Int, Int)? {
        guard numerator > 0, denominator > 0 else { return nil }
        var (a, b) = (numerator, denominator)
        while b != 0 { (a, b) = (b, a % b) }
        return (Int(clamping: numerator / a), Int(clamping: denominator / a))
    }
}

/// Aspect ratio of a pixel on the screen: a television's pixels are not square, and a driver that scales in only one direction
/// changes them.
enum CameraAspect {
    /// Measures the ratio with VIDIOC_CROPCAP and VIDIOC_G_SELECTION.
    ///
    /// - Returns: Width and height as a ratio in lowest terms; `nil` if the device reports none, or an impossible one.
    static func measure(_ node: borrowing CameraDescriptor, _ format: CameraFormat) -> (Int, Int)? {
        var capability = cm_v4l2_cropcap()
        guard unsafe cm_v4l2_cropcap(node.descriptor, node.bufferType, &capability) >= 0 else { return nil }
        let taken = selection(node, UInt32(V4L2_SEL_TGT_CROP)) ?? capability.standard
        let whole = cm_v4l2_size(width: UInt32(clamping: format.width), height: UInt32(clamping: format.height))
        let filled = selection(node, UInt32(V4L2_SEL_TGT_COMPOSE)) ?? whole
        return ratio(
            height: capability.aspect_numerator, width: capability.aspect_denominator, taken: taken, filled: filled,
            isAlternating: format.isAlternating)
    }

    /// A rectangle's size; `nil` for a driver without selections or with an empty one.
    private static func selection(_ node: borrowing CameraDescriptor, _ target: UInt32) -> cm_v4l2_size? {
        var size = cm_v4l2_size()
        guard unsafe cm_v4l2_g_selection(node.descriptor, node.bufferType, target, &size) >= 0 else { return nil }
        return size.width > 0 && size.height > 0 ? size : nil
    }

    /// Ratio of a pixel after the driver's scaling.
    ///
    /// - Parameters:
    ///   - height: Height of an unscaled pixel, relative to `width`.
    ///   - width: Width of an unscaled pixel.
    ///   - taken: The captured part of the signal, in rows of whole frames.
    ///   - filled: The filled part of the buffer, which may be one of two fields.
    ///   - isAlternating: True if the buffer holds one of two fields, so that its rows count double.
    static func ratio(
        height: UInt32, width: UInt32, taken: cm_v4l2_size, filled: cm_v4l2_size, isAlternating: Bool
    ) -> (Int, Int)? {
        var (wide, high) = (UInt64(width), UInt64(height))
        let sizes = [taken.width, taken.height, filled.width, filled.height]
        guard wide > 0, high > 0, wide <= 65_535, high <= 65_535 else { return nil }
        if sizes.allSatisfy({ (1...65_535).contains($0) }) {
            wide *= UInt64(taken.width) * UInt64(filled.height) * (isAlternating ? 2 : 1)
            high *= UInt64(filled.width) * UInt64(taken.height)
        }
        // No screen has such pixels, so the driver's numbers are wrong.
        guard wide <= 16 * high, high <= 16 * wide else { return nil }
        return CameraNegotiation.reduced(wide, high)
    }
}
