import CMedia
import CaptureBase
import CaptureRealtime

extension Colorimetry {
    /// Interprets VIDIOC_G_FMT; a field that is 0 means the kernel's default for the others, by its V4L2_MAP_ macros.
    init(_ camera: CameraFormat) {
        let colorspace = Self.colorspace(camera)
        let format = PixelFormat(rawValue: camera.fourcc)
        let family = camera.isCompressed ? PixelFormat.Family.compressed : format.family
        self.init(
            primaries: Self.primaries[colorspace] ?? .unspecified, transfer: Self.transfer(camera, colorspace),
            matrix: .bt601, range: .full)
        switch family {
        // A camera's own JPEG is JFIF, whatever colorimetry the driver reports beside it.
        case .compressed: break
        case .rgb:
            matrix = .rgb
            // Hues have no limited range (V4L2's documentation, "HSV formats").
            if !format.isHue, camera.quantization == Self.limited { range = .limited }
        // Grey cameras use all 256 values, although V4L2's default for "not RGB" is limited range.
        case .grey: if camera.quantization == Self.limited { range = .limited }
        case .yuv:
            let encoding = Self.encoding(camera, colorspace)
            matrix = Self.matrices[encoding] ?? .bt601
            range = Self.range(camera, colorspace, encoding)
        }
    }

    private static let limited = V4L2_QUANTIZATION_LIM_RANGE.rawValue
    private static let full = V4L2_QUANTIZATION_FULL_RANGE.rawValue

    /// Colour space of the driver. V4L2_COLORSPACE_DEFAULT is a driver's error: then the signal's kind decides.
    private static func colorspace(_ camera: CameraFormat) -> UInt32 {
        guard camera.colorspace == 0 else { return camera.colorspace }
        let isTelevision = camera.standardLines > 0 || camera.isDigital && camera.height < 720
        return cm_v4l2_default_colorspace(isTelevision ? 1 : 0, camera.isDigital ? 1 : 0)
    }

    /// Encoding of Y, Cb and Cr; the colour space decides where the driver says 0.
    private static func encoding(_ camera: CameraFormat, _ colorspace: UInt32) -> UInt32 {
        camera.ycbcrEncoding == 0 ? cm_v4l2_default_ycbcr_enc(colorspace) : camera.ycbcrEncoding
    }

    /// Transfer function; the colour space decides where the driver says 0.
    private static func transfer(_ camera: CameraFormat, _ colorspace: UInt32) -> Transfer {
        transfers[camera.transfer == 0 ? cm_v4l2_default_xfer_func(colorspace) : camera.transfer] ?? .unspecified
    }

    /// Range of Y, Cb and Cr.
    private static func range(_ camera: CameraFormat, _ colorspace: UInt32, _ encoding: UInt32) -> Range {
        // xvYCC has one range alone: values beyond 16 and 235 are its additional colours.
        if [V4L2_YCBCR_ENC_XV601.rawValue, V4L2_YCBCR_ENC_XV709.rawValue].contains(encoding) { return .limited }
        let said = camera.quantization
        return (said == 0 ? cm_v4l2_default_quantization(0, colorspace) : said) == full ? .full : .limited
    }

    /// V4L2_COLORSPACE_* to H.273. V4L2_COLORSPACE_RAW is absent: it names no colours.
    private static let primaries: [UInt32: Primaries] = [
        V4L2_COLORSPACE_SMPTE170M.rawValue: .smpte170M, V4L2_COLORSPACE_BT878.rawValue: .smpte170M,
        V4L2_COLORSPACE_SMPTE240M.rawValue: .smpte240M, V4L2_COLORSPACE_REC709.rawValue: .bt709,
        V4L2_COLORSPACE_470_SYSTEM_M.rawValue: .bt470M, V4L2_COLORSPACE_470_SYSTEM_BG.rawValue: .bt470BG,
        V4L2_COLORSPACE_JPEG.rawValue: .bt709, V4L2_COLORSPACE_SRGB.rawValue: .bt709,
        V4L2_COLORSPACE_OPRGB.rawValue: .opRGB, V4L2_COLORSPACE_BT2020.rawValue: .bt2020,
        V4L2_COLORSPACE_DCI_P3.rawValue: .dciP3,
    ]

    /// V4L2_XFER_FUNC_* to H.273.
    private static let transfers: [UInt32: Transfer] = [
        V4L2_XFER_FUNC_709.rawValue: .bt709, V4L2_XFER_FUNC_SRGB.rawValue: .srgb,
        V4L2_XFER_FUNC_OPRGB.rawValue: .opRGB, V4L2_XFER_FUNC_SMPTE240M.rawValue: .smpte240M,
        V4L2_XFER_FUNC_NONE.rawValue: .linear, V4L2_XFER_FUNC_DCI_P3.rawValue: .dciP3,
        V4L2_XFER_FUNC_SMPTE2084.rawValue: .pq,
    ]

    /// V4L2_YCBCR_ENC_* to H.273; an encoding that is absent here, sYCC's among them, is BT.601.
    private static let matrices: [UInt32: Matrix] = [
        V4L2_YCBCR_ENC_709.rawValue: .bt709, V4L2_YCBCR_ENC_XV709.rawValue: .bt709,
        V4L2_YCBCR_ENC_BT2020.rawValue: .bt2020, V4L2_YCBCR_ENC_BT2020_CONST_LUM.rawValue: .bt2020Constant,
        V4L2_YCBCR_ENC_SMPTE240M.rawValue: .smpte240M,
    ]
}

extension FieldOrder {
    /// Order that a driver reports by VIDIOC_G_FMT, or that the signal's standard implies.
    init(_ camera: CameraFormat) {
        switch v4l2_field(rawValue: camera.field) {
        case V4L2_FIELD_SEQ_TB, V4L2_FIELD_INTERLACED_TB: self = .topFirst
        case V4L2_FIELD_SEQ_BT, V4L2_FIELD_INTERLACED_BT: self = .bottomFirst
        // The signal's own order: bottom field first for standards of 525 lines, top field first for all others, HDMI's
        // too.
        case V4L2_FIELD_INTERLACED, V4L2_FIELD_ALTERNATE:
            self = camera.standardLines == 525 ? .bottomFirst : .topFirst
        // V4L2_FIELD_TOP and V4L2_FIELD_BOTTOM are among these: one field of each frame, all of one instant.
        default: self = .progressive
        }
        // A compressed image of one field is of one instant, too.
        if camera.isCompressed, camera.isAlternating { self = .progressive }
    }
}

/// Arrangement of the two fields of interlaced frames in a camera's buffers.
enum FieldArrangement: Hashable {
    /// Row by row as in the frame; or without fields.
    case whole
    /// One above the other in one buffer, in each colour plane.
    case sequential(FieldOrder)
    /// In separate buffers, alternately.
    case alternating(FieldOrder)

    /// Arrangement that a driver reports by VIDIOC_G_FMT. Compressed frames count as whole: nobody here changes the
    /// inside of an image.
    init(_ camera: CameraFormat) {
        let field = v4l2_field(rawValue: camera.field)
        if camera.isCompressed {
            self = .whole
        } else if field == V4L2_FIELD_SEQ_TB || field == V4L2_FIELD_SEQ_BT {
            self = .sequential(FieldOrder(camera))
        } else {
            self = camera.isAlternating ? .alternating(FieldOrder(camera)) : .whole
        }
    }

    /// True for buffers of one field each.
    var isAlternating: Bool {
        if case .alternating = self { true } else { false }
    }
}

extension VideoSettings {
    /// The same settings in the capture loop's terms, where 0 is the device's choice.
    ///
    /// A camera keeps the rate that its last user set, which may be 5 per second. So without a requested rate, the nearest to 30
    /// is used.
    var camera: CameraSettings {
        let rate = frameRate ?? .thirty
        var settings = CameraSettings(
            width: width ?? 0, height: height ?? 0, fourcc: pixelFormat?.rawValue ?? 0,
            fpsNumerator: rate.numerator, fpsDenominator: rate.denominator)
        settings.standard = standard?.rawValue ?? 0
        settings.detectsStandard = standard == .automatic
        settings.timings = timings?.shape
        settings.mayBePredicted = mayBePredicted
        return settings
    }

    /// True if a setting is given that only capture cards have.
    var isOfCard: Bool { input != nil || standard != nil || timings != nil }
}

extension VideoFormat {
    /// Format of whole frames, also where the camera delivers their fields one by one or one above the other.
    ///
    /// A driver that does not report its rate counts as 30 frames a second, the commonest.
    init(_ camera: CameraFormat) {
        let fields = FieldArrangement(camera)
        let rate = FrameRate(camera.fpsNumerator, camera.fpsDenominator) ?? .thirty
        self.init(
            width: camera.width, height: fields.isAlternating ? 2 * camera.height : camera.height,
            pixelFormat: PixelFormat(rawValue: camera.fourcc),
            // Compressed images of single fields are not put together: there are twice as many.
            frameRate: camera.isAlternating && !fields.isAlternating ? rate.doubled : rate,
            bytesPerLine: camera.isCompressed ? 0 : camera.bytesPerLine(plane: 0),
            planeBytesPerLine: camera.isCompressed ? nil : camera.layouts.map(\.bytesPerLine),
            colorimetry: Colorimetry(camera))
        encoding = camera.ycbcrEncoding
        fieldOrder = FieldOrder(camera)
        pixelAspect = PixelAspect(camera.aspectWidth, camera.aspectHeight)
    }
}

extension cm_v4l2_format {
    /// Format for VIDIOC_S_FMT of an output. What 0 leaves open, the driver sets.
    init(_ format: VideoFormat) {
        self.init()
        buffer_type = V4L2_BUF_TYPE_VIDEO_OUTPUT.rawValue
        width = UInt32(clamping: format.width)
        height = UInt32(clamping: format.height)
        pixelformat = format.pixelFormat.rawValue
        planes = 1
        // The camera's own distance between rows, if the driver supports it: a frame is then one piece.
        bytesperline.0 = UInt32(clamping: format.bytesPerLine)
        switch format.fieldOrder {
        case .progressive: field = V4L2_FIELD_NONE.rawValue
        case .topFirst: field = V4L2_FIELD_INTERLACED_TB.rawValue
        case .bottomFirst: field = V4L2_FIELD_INTERLACED_BT.rawValue
        }
        let colours = format.colorimetry
        colorspace = (Self.spaces[colours.primaries] ?? V4L2_COLORSPACE_SRGB).rawValue
        xfer_func = (Self.transfers[colours.transfer] ?? V4L2_XFER_FUNC_DEFAULT).rawValue
        ycbcr_enc = (Self.encodings[colours.matrix] ?? V4L2_YCBCR_ENC_DEFAULT).rawValue
        quantization =
            (colours.range == .full ? V4L2_QUANTIZATION_FULL_RANGE : V4L2_QUANTIZATION_LIM_RANGE).rawValue
    }

    /// H.273 to V4L2_COLORSPACE_*. BT.709's primaries are sRGB's, the usual ones of a webcam.
    private static let spaces: [Colorimetry.Primaries: v4l2_colorspace] = [
        .smpte170M: V4L2_COLORSPACE_SMPTE170M, .smpte240M: V4L2_COLORSPACE_SMPTE240M, .bt709: V4L2_COLORSPACE_SRGB,
        .bt470M: V4L2_COLORSPACE_470_SYSTEM_M, .bt470BG: V4L2_COLORSPACE_470_SYSTEM_BG,
        .opRGB: V4L2_COLORSPACE_OPRGB, .bt2020: V4L2_COLORSPACE_BT2020, .dciP3: V4L2_COLORSPACE_DCI_P3,
    ]
    /// H.273 to V4L2_XFER_FUNC_*.
    private static let transfers: [Colorimetry.Transfer: v4l2_xfer_func] = [
        .bt709: V4L2_XFER_FUNC_709, .srgb: V4L2_XFER_FUNC_SRGB, .opRGB: V4L2_XFER_FUNC_OPRGB,
        .smpte240M: V4L2_XFER_FUNC_SMPTE240M, .linear: V4L2_XFER_FUNC_NONE, .dciP3: V4L2_XFER_FUNC_DCI_P3,
        .pq: V4L2_XFER_FUNC_SMPTE2084,
    ]
    /// H.273 to V4L2_YCBCR_ENC_*.
    private static let encodings: [Colorimetry.Matrix: v4l2_ycbcr_encoding] = [
        .bt601: V4L2_YCBCR_ENC_601, .bt709: V4L2_YCBCR_ENC_709, .smpte240M: V4L2_YCBCR_ENC_SMPTE240M,
        .bt2020: V4L2_YCBCR_ENC_BT2020, .bt2020Constant: V4L2_YCBCR_ENC_BT2020_CONST_LUM,
    ]
}

extension FrameRate {
    /// 30 frames per second.
    static let thirty = FrameRate(unchecked: 30, 1)

    /// Twice the rate; the denominator is halved if it is even.
    fileprivate var doubled: FrameRate {
        denominator.isMultiple(of: 2)
            ? FrameRate(unchecked: numerator, denominator / 2) : FrameRate(unchecked: 2 * numerator, denominator)
    }
}

extension TestBars {
    /// Opens the built-in camera: by default 640×480 at 30 frames per second in YUYV.
    init(_ settings: VideoSettings) throws(RealtimeFault) {
        let rate = settings.frameRate ?? .thirty
        try self.init(
            width: settings.width ?? 640, height: settings.height ?? 480,
            fourcc: (settings.pixelFormat ?? .yuyv).rawValue, fpsNumerator: rate.numerator,
            fpsDenominator: rate.denominator, claps: settings.claps)
    }
}

extension SampleFormat {
    /// The same format in the capture loop's terms. Written out in both directions, so that a new case of either fails
    /// to compile.
    var pcm: PCMFormat {
        switch self {
        case .s16: .s16
        case .s24Packed: .s24Packed
        case .s24: .s24
        case .s32: .s32
        case .float32: .float32
        }
    }

    /// The same format in the public terms.
    init(_ pcm: PCMFormat) {
        switch pcm {
        case .s16: self = .s16
        case .s24Packed: self = .s24Packed
        case .s24: self = .s24
        case .s32: self = .s32
        case .float32: self = .float32
        }
    }
}
