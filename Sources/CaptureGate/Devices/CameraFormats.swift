import CMedia
import CSystem
import CaptureBase
import CaptureRealtime

/// Asks an idle camera for its formats, sizes and rates (`VIDIOC_ENUM_FMT` and its kin), without streaming.
struct CameraFormats {
    /// Where a call fails, what the camera had said until then counts.
    static func read(_ node: String) -> FormatQueryResult {
        var reading = FormatQueryResult()
        let camera = cm_v4l2_open(node)
        guard camera >= 0 else {
            reading.note("open", camera)
            return reading
        }
        defer { _ = cm_close(camera) }
        var formats = CameraFormats(camera: camera, reading: reading)
        return formats.read()
    }

    private let camera: Int32
    private var reading: FormatQueryResult

    private mutating func read() -> FormatQueryResult {
        var modes: [VideoMode] = []
        for type in Self.bufferTypes {
            let codes = pixelFormats(type)
            for code in codes { for size in sizes(code) { modes.append(mode(code, size)) } }
            if !codes.isEmpty { readMeaning(type) }
        }
        reading.inputs = CameraInputs.read(camera, noting: &reading)
        reading.formats = modes.isEmpty && reading.fault != nil ? .unknown : .video(modes)
        return reading
    }

    /// V4L2_BUF_TYPE_VIDEO_CAPTURE and V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE.
    private static let bufferTypes: [UInt32] = [1, 9]

    /// What the samples mean, as the camera stands.
    private mutating func readMeaning(_ type: UInt32) {
        var format = cm_v4l2_format()
        format.buffer_type = type
        let result = cm_v4l2_g_fmt(camera, &format)
        reading.note("VIDIOC_G_FMT", result)
        if result >= 0 { reading.colorimetry = Colorimetry(CameraFormat(format, isCompressed: false)) }
    }

    /// Whether a list goes on. One that is over, or that this driver does not have, is no fault.
    private mutating func goesOn(_ call: String, _ result: Int32) -> Bool {
        if result < 0, ![EINVAL, ENOTTY, ENODATA].contains(0 &- result) { reading.note(call, result) }
        return result >= 0
    }

    private mutating func pixelFormats(_ type: UInt32) -> [UInt32] {
        var codes: [UInt32] = []
        var format = cm_v4l2_fmtdesc()
        // A driver that never ends its list would hang the scan.
        while codes.count < 256,
            goesOn("VIDIOC_ENUM_FMT", cm_v4l2_enum_fmt(camera, type, UInt32(codes.count), &format))
        {
            codes.append(format.pixelformat)
        }
        return codes
    }

    private mutating func sizes(_ code: UInt32) -> [cm_v4l2_frmsize] {
        var sizes: [cm_v4l2_frmsize] = []
        var size = cm_v4l2_frmsize()
        while sizes.count < 256,
            goesOn("VIDIOC_ENUM_FRAMESIZES", cm_v4l2_enum_framesizes(camera, code, UInt32(sizes.count), &size))
        {
            sizes.append(size)
            if size.type != Self.discrete { break }
        }
        return sizes
    }

    private mutating func mode(_ code: UInt32, _ size: cm_v4l2_frmsize) -> VideoMode {
        let rates = frameRates(code, size)
        return VideoMode(
            pixelFormat: PixelFormat(rawValue: code), width: Int(size.max_width), height: Int(size.max_height),
            smaller: size.type == Self.discrete ? nil : SizeSteps(size),
            frameRates: rates.list.sorted { $0.framesPerSecond > $1.framesPerSecond }, takesRatesBetween: rates.isRange)
    }

    /// V4L2_FRMSIZE_TYPE_DISCRETE and V4L2_FRMIVAL_TYPE_DISCRETE.
    private static let discrete: UInt32 = 1

    private mutating func frameRates(_ code: UInt32, _ size: cm_v4l2_frmsize) -> (list: [FrameRate], isRange: Bool) {
        var rates: [FrameRate] = []
        var interval = cm_v4l2_frmival()
        var index: UInt32 = 0
        while index < 256, hasInterval(code, size, index, &interval) {
            // An interval is seconds a frame; a rate is its inverse.
            rates += [FrameRate(Int(interval.min_denominator), Int(interval.min_numerator))].compactMap { $0 }
            if interval.type != Self.discrete {
                rates += [FrameRate(Int(interval.max_denominator), Int(interval.max_numerator))].compactMap { $0 }
                return (rates, true)
            }
            index += 1
        }
        return (rates, false)
    }

    private mutating func hasInterval(
        _ code: UInt32, _ size: cm_v4l2_frmsize, _ index: UInt32, _ interval: inout cm_v4l2_frmival
    ) -> Bool {
        goesOn(
            "VIDIOC_ENUM_FRAMEINTERVALS",
            cm_v4l2_enum_frameintervals(camera, code, size.max_width, size.max_height, index, &interval))
    }
}

extension SizeSteps {
    /// A driver that says 0 for a step has one size alone, or means each.
    fileprivate init(_ size: cm_v4l2_frmsize) {
        self.init(
            width: Int(size.min_width), height: Int(size.min_height), widthStep: max(1, Int(size.step_width)),
            heightStep: max(1, Int(size.step_height)))
    }
}
