import CMedia
import CSystem
import CaptureBase
import CaptureRealtime
import Gate

/// What a device said that it can deliver, and which call failed where it did not say all.
struct FormatQueryResult {
    var formats: Device.Formats = .unknown
    var inputs: [VideoInput] = []
    var colorimetry: Colorimetry?
    private(set) var fault: DeviceCallError?

    /// Keeps the first of several: the others mostly follow from it.
    mutating func note(_ call: String, _ result: Int32) {
        if result < 0, fault == nil { fault = DeviceCallError(call: call, errno: 0 &- result) }
    }
}

/// A call to a device that failed, about a control or a format.
struct DeviceCallError: Error, Hashable {
    /// The function or request.
    let call: String
    /// Positive, as in errno.h.
    let errno: Int32

    /// - Returns: `result`, where it is no error.
    @discardableResult
    static func check(_ call: String, _ result: Int32) throws(DeviceCallError) -> Int32 {
        guard result >= 0 else { throw DeviceCallError(call: call, errno: 0 &- result) }
        return result
    }

    func error(_ device: Device) -> CaptureError { DeviceFault(device: device).error(call, errno) }
}

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

/// Asks libasound what an idle PCM can deliver (`snd_pcm_hw_params_any`), without fixing or starting anything.
enum MicrophoneFormats {
    static func read(_ pcmName: String) -> FormatQueryResult {
        _ = cm_alsa_setup()
        var reading = FormatQueryResult()
        var pcm: OpaquePointer?
        reading.note("snd_pcm_open", cm_pcm_open(&pcm, pcmName))
        guard let pcm else { return reading }
        defer { _ = cm_pcm_close(pcm) }
        guard let parameters = cm_hw_new() else {
            reading.note("snd_pcm_hw_params_malloc", -ENOMEM)
            return reading
        }
        defer { cm_hw_free(parameters) }
        reading.note("snd_pcm_hw_params_any", cm_hw_any(pcm, parameters))
        if reading.fault == nil { ask(parameters, of: pcm, &reading) }
        return reading
    }

    private static func ask(_ parameters: OpaquePointer, of pcm: OpaquePointer, _ reading: inout FormatQueryResult) {
        var rates = cm_range()
        var channels = cm_range()
        reading.note("snd_pcm_hw_params_get_rate", cm_hw_rate_range(parameters, &rates))
        reading.note("snd_pcm_hw_params_get_channels", cm_hw_channels_range(parameters, &channels))
        guard reading.fault == nil, let rates = closed(rates), let channels = closed(channels) else { return }
        let formats = SampleFormat.allCases.filter { cm_hw_test_format(pcm, parameters, $0.pcm.rawValue) >= 0 }
        reading.formats = .audio(AudioRanges(sampleRates: rates, channels: channels, sampleFormats: formats))
    }

    private static func closed(_ range: cm_range) -> ClosedRange<Int>? {
        let (minimum, maximum) = (Int(clamping: range.minimum), Int(clamping: range.maximum))
        return minimum <= maximum ? minimum...maximum : nil
    }
}
