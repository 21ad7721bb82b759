import CMedia
import CaptureRealtime
import Gate
import LinuxSystem

/// Answers of a device about its capabilities, and the call that failed if they are incomplete.
struct FormatQueryResult {
    /// Formats, sizes and rates.
    var formats: Device.Formats = .unknown
    /// Inputs of a capture card.
    var inputs: [VideoInput] = []
    /// Meaning of a camera's samples, as it is set up now.
    var colorimetry: Colorimetry?
    /// First call that failed.
    private(set) var fault: DeviceCallError?

    /// Keeps the first failure: later ones mostly follow from it.
    ///
    /// - Parameters:
    ///   - call: function or request.
    ///   - result: negative for a failure.
    mutating func note(_ call: String, _ result: Int32) {
        if result < 0, fault == nil { fault = DeviceCallError(call: call, errno: 0 &- result) }
    }

    /// Opens a camera's node, asks and closes it; what can't be opened answers nothing.
    ///
    /// - Parameters:
    ///   - node: path of the device file.
    ///   - body: asks the open node.
    static func asking(_ node: String, _ body: (Int32, inout FormatQueryResult) -> Void) -> FormatQueryResult {
        var reading = FormatQueryResult()
        let camera = cm_v4l2_open(node)
        guard camera >= 0 else {
            reading.note("open", camera)
            return reading
        }
        defer { _ = cm_close(camera) }
        body(camera, &reading)
        return reading
    }
}

/// Failed call to a device about a control or a format: an ioctl, or a function of libasound.
struct DeviceCallError: Error, Hashable {
    /// Function or request, as its manual page names it.
    let call: String
    /// Positive, as in errno.h.
    let errno: Int32
    /// Broker's error, if the broker has made the call.
    private(set) var told: CaptureError?

    init(call: String, errno: Int32) {
        self.call = call
        self.errno = errno
    }

    /// Failure that the broker reported.
    init(told: CaptureError) {
        self.init(call: "capturegated", errno: told.errno)
        self.told = told
    }

    /// Turns a shim's negative result into an error.
    ///
    /// - Returns: `result` if it is not an error.
    @discardableResult
    static func check(_ call: String, _ result: Int32) throws(DeviceCallError) -> Int32 {
        guard result >= 0 else { throw DeviceCallError(call: call, errno: 0 &- result) }
        return result
    }

    /// The public error, with the device's name and a remedy.
    func error(_ device: Device) -> CaptureError { told ?? DeviceFault(device: device).error(call, errno) }
}

/// Query of an idle camera for its formats, sizes and rates (`VIDIOC_ENUM_FMT` and related requests), without
/// streaming.
struct CameraFormats {
    /// Opens, queries and closes a camera. After a call that fails, the earlier answers still count.
    ///
    /// - Parameter node: path of the device file. Opening wakes some cameras up, so only idle ones are queried.
    static func read(_ node: String) -> FormatQueryResult {
        FormatQueryResult.asking(node) { camera, reading in
            var formats = CameraFormats(camera: camera, reading: reading)
            reading = formats.read()
        }
    }

    /// Queries an idle camera for its own choice of mode.
    ///
    /// - Returns: `asked` if it leaves nothing open, and if the camera can't be queried.
    static func complete(_ asked: CameraSettings, of node: String) -> CameraSettings {
        guard asked.isOpen else { return asked }
        let camera = cm_v4l2_open(node)
        guard camera >= 0 else { return asked }
        defer { _ = cm_close(camera) }
        guard !CameraInputs.hasSignalSize(camera) else { return asked }
        var formats = CameraFormats(camera: camera, reading: FormatQueryResult())
        return asked.completed(by: &formats)
    }

    private let camera: Int32
    private var reading: FormatQueryResult

    /// Asks for everything, in the order of the driver's lists.
    private mutating func read() -> FormatQueryResult {
        var modes: [VideoMode] = []
        for type in Self.bufferTypes {
            let codes = pixelFormats(type)
            for code in codes { for size in sizes(of: code) { modes.append(mode(code, size)) } }
            if !codes.isEmpty { readMeaning(type) }
        }
        reading.inputs = CameraInputs.read(camera, noting: &reading)
        reading.formats = modes.isEmpty && reading.fault != nil ? .unknown : .video(modes)
        return reading
    }

    /// V4L2_BUF_TYPE_VIDEO_CAPTURE and V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE; a driver mostly has one of them.
    private static let bufferTypes: [UInt32] = [1, 9]

    /// Colorimetry of the format that is set now, for a listing; opening for capture reads it again.
    private mutating func readMeaning(_ type: UInt32) {
        var format = cm_v4l2_format()
        format.buffer_type = type
        let result = cm_v4l2_g_fmt(camera, &format)
        reading.note("VIDIOC_G_FMT", result)
        if result >= 0 { reading.colorimetry = Colorimetry(CameraFormat(format, isCompressed: false)) }
    }

    /// True while a list continues. Its end (EINVAL), a list that the driver does not have (ENOTTY) and an input without one
    /// (ENODATA) are not faults.
    private mutating func goesOn(_ call: String, _ result: Int32) -> Bool {
        if result < 0,
            ![Errno.invalidArgument.number, Errno.inappropriateControl.number, Errno.noData.number].contains(
                0 &- result)
        {
            reading.note(call, result)
        }
        return result >= 0
    }

    /// Fourcc codes of a buffer type.
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

    /// Sizes of a format; a range comes as one entry.
    private mutating func sizes(of code: UInt32) -> [cm_v4l2_frmsize] {
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

    /// One size, or range of sizes, with its frame rates.
    private mutating func mode(_ code: UInt32, _ size: cm_v4l2_frmsize) -> VideoMode {
        let rates = frameRates(code, size)
        return VideoMode(
            code, size, rates.list.sorted { $0.framesPerSecond > $1.framesPerSecond }, takesRatesBetween: rates.isRange)
    }

    /// V4L2_FRMSIZE_TYPE_DISCRETE and V4L2_FRMIVAL_TYPE_DISCRETE, which are both 1.
    fileprivate static let discrete: UInt32 = 1

    /// Frame rates of the largest size; a continuous or stepwise range has its two ends.
    private mutating func frameRates(_ code: UInt32, _ size: cm_v4l2_frmsize) -> (list: [FrameRate], isRange: Bool) {
        var rates: [FrameRate] = []
        var interval = cm_v4l2_frmival()
        var index: UInt32 = 0
        while index < 256, hasInterval(code, (size.max_width, size.max_height), index, &interval) {
            // An interval is seconds per frame; a rate is its inverse.
            rates += [FrameRate(Int(interval.min_denominator), Int(interval.min_numerator))].compactMap { $0 }
            if interval.type != Self.discrete {
                rates += [FrameRate(Int(interval.max_denominator), Int(interval.max_numerator))].compactMap { $0 }
                return (rates, true)
            }
            index += 1
        }
        return (rates, false)
    }

    /// Asks for one interval of the list.
    private mutating func hasInterval(
        _ code: UInt32, _ size: (width: UInt32, height: UInt32), _ index: UInt32, _ interval: inout cm_v4l2_frmival
    ) -> Bool {
        goesOn(
            "VIDIOC_ENUM_FRAMEINTERVALS",
            cm_v4l2_enum_frameintervals(camera, code, size.width, size.height, index, &interval))
    }
}

extension CameraFormats: CameraModes {
    mutating func codes() -> [UInt32] {
        var codes: [UInt32] = []
        for type in Self.bufferTypes { codes += pixelFormats(type) }
        return codes
    }

    mutating func sizes(_ code: UInt32) -> [VideoMode] { sizes(of: code).map { VideoMode(code, $0, []) } }

    mutating func rate(of mode: VideoMode, width: Int, height: Int, enough: Double) -> Double {
        var interval = cm_v4l2_frmival()
        let size = (UInt32(clamping: width), UInt32(clamping: height))
        var (fastest, index) = (0.0, UInt32(0))
        while index < 256, fastest < enough, hasInterval(mode.pixelFormat.rawValue, size, index, &interval) {
            // The shortest interval of a range comes first.
            fastest = max(fastest, Double(interval.min_denominator) / Double(max(interval.min_numerator, 1)))
            index += 1
            if interval.type != Self.discrete { break }
        }
        return index == 0 ? .infinity : fastest
    }
}

extension VideoMode {
    fileprivate init(
        _ code: UInt32, _ size: cm_v4l2_frmsize, _ rates: [FrameRate], takesRatesBetween: Bool = false
    ) {
        self.init(
            pixelFormat: PixelFormat(rawValue: code), width: Int(size.max_width), height: Int(size.max_height),
            smaller: size.type == CameraFormats.discrete ? nil : SizeSteps(size), frameRates: rates,
            takesRatesBetween: takesRatesBetween)
    }
}

extension SizeSteps {
    /// Translates a range. A step of 0 means one size alone, or any size: both fit a step of 1.
    fileprivate init(_ size: cm_v4l2_frmsize) {
        self.init(
            width: Int(size.min_width), height: Int(size.min_height), widthStep: max(1, Int(size.step_width)),
            heightStep: max(1, Int(size.step_height)))
    }
}

/// Open node of a camera, for questions that neither set nor stream anything.
///
/// *session-bound*
struct CameraNode: ~Copyable {
    private let camera: Int32

    /// - Throws: `open` and its errno.
    init(opening path: String) throws(DeviceCallError) {
        camera = try DeviceCallError.check("open", cm_v4l2_open(path))
    }

    deinit { _ = cm_close(camera) }

    /// The driver, the card's name, and the capabilities of this node: what stays the same at any port.
    func capability() throws(DeviceCallError) -> (driver: String, card: String, capabilities: UInt32) {
        var raw = cm_v4l2_capability()
        try DeviceCallError.check("VIDIOC_QUERYCAP", cm_v4l2_querycap(camera, &raw))
        return (FixedText.of(raw.driver), FixedText.of(raw.card), raw.device_caps)
    }

    /// Asks for buffers as a program does that is about to stream, and gives them back.
    ///
    /// - Returns: the kernel's error number; 0 if there were some.
    func refusal(of memory: SecondOpening.Memory, _ capabilities: UInt32) -> Int32 {
        // V4L2_CAP_VIDEO_CAPTURE_MPLANE, and the buffer types of both kinds.
        let type: UInt32 = capabilities & 0x1000 != 0 ? 9 : 1
        let request = memory == .mapped ? cm_v4l2_reqbufs : cm_v4l2_reqbufs_userptr
        let result = request(camera, type, 2)
        if result >= 0 { _ = request(camera, type, 0) }
        return result < 0 ? 0 &- result : 0
    }
}

/// Query of an idle camera for its inputs (`VIDIOC_ENUMINPUT`), and of the selected one for its signal, without
/// streaming.
struct CameraInputs {
    private let camera: Int32

    /// Opens, asks and closes a camera.
    ///
    /// - Returns: inputs alone; none if the node can't be opened or has none.
    static func read(_ node: String) -> FormatQueryResult {
        FormatQueryResult.asking(node) { camera, reading in reading.inputs = read(camera, noting: &reading) }
    }

    /// True if the selected input is a capture card's, whose standard or timings determine the size of a frame. It supports other
    /// sizes, too, by scaling.
    static func hasSignalSize(_ camera: Int32) -> Bool {
        let current = cm_v4l2_g_input(camera)
        var raw = cm_v4l2_input()
        guard current >= 0, cm_v4l2_enuminput(camera, UInt32(current), &raw) >= 0 else { return false }
        return raw.capabilities & (takesTimings | takesStandards) != 0
    }

    /// Queries an open node.
    ///
    /// - Parameters:
    ///   - camera: descriptor.
    ///   - reading: gets the first call that fails.
    static func read(_ camera: Int32, noting reading: inout FormatQueryResult) -> [VideoInput] {
        let current = cm_v4l2_g_input(camera)
        if current < 0, ![EINVAL, ENOTTY, ENODATA].contains(0 &- current) { reading.note("VIDIOC_G_INPUT", current) }
        var inputs: [VideoInput] = []
        var raw = cm_v4l2_input()
        // A driver that never ends its list would hang the scan.
        while inputs.count < 64 {
            let result = cm_v4l2_enuminput(camera, UInt32(inputs.count), &raw)
            guard result >= 0 else {
                if ![EINVAL, ENOTTY, ENODATA].contains(0 &- result) { reading.note("VIDIOC_ENUMINPUT", result) }
                break
            }
            inputs.append(CameraInputs(camera: camera).input(raw, isCurrent: inputs.count == current))
        }
        return inputs
    }

    /// Input with its signal. The inputs are not switched: another process may be capturing from the selected one.
    private func input(_ raw: cm_v4l2_input, isCurrent: Bool) -> VideoInput {
        let name = withUnsafeBytes(of: raw.name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        var signal = SignalState(status: raw.status)
        var timings = cm_v4l2_timings()
        var found: VideoTimings?
        let takesTimings = raw.capabilities & Self.takesTimings != 0
        let isDigital = isCurrent && takesTimings
        let powerBit = takesTimings ? CameraInput.powerBit(of: raw.index, camera) : 0
        // Receivers of HDMI detect power apart from a signal: a source that sleeps is connected, but off.
        if signal == .present, SignalState.isPowerless(camera, powerBit) { signal = .noPower }
        if isDigital {
            let result = cm_v4l2_query_dv_timings(camera, &timings)
            if result >= 0 { found = VideoTimings(SignalTimings(timings)) }
            signal = SignalState(query: result) ?? signal
        }
        return VideoInput(
            index: Int(raw.index), name: name, isCurrent: isCurrent, signal: signal,
            standards: VideoStandard.parts(of: raw.standards), timings: found, takes: isDigital ? takes() : [])
    }

    /// V4L2_IN_CAP_DV_TIMINGS
    private static let takesTimings: UInt32 = 2
    /// V4L2_IN_CAP_STD.
    private static let takesStandards: UInt32 = 4

    /// Supported timings of the selected input; V4L2 lists those of no other.
    private func takes() -> [VideoTimings] {
        var list: [VideoTimings] = []
        var timings = cm_v4l2_timings()
        while list.count < 512, cm_v4l2_enum_dv_timings(camera, UInt32(list.count), &timings) >= 0 {
            list.append(VideoTimings(SignalTimings(timings)))
        }
        return list
    }
}

/// Query of an idle PCM for its capabilities (`snd_pcm_hw_params_any`), without fixing or starting anything.
enum MicrophoneFormats {
    /// Opens, queries and closes a PCM.
    ///
    /// - Parameter pcmName: libasound's name, such as `hw:1,0`.
    static func read(_ pcmName: String) -> FormatQueryResult {
        // Before the first open: LIBASOUND_THREAD_SAFE=0, and no messages of libasound on standard error.
        _ = cm_alsa_setup()
        var reading = FormatQueryResult()
        var pcm: OpaquePointer?
        reading.note("snd_pcm_open", cm_pcm_open(&pcm, pcmName))
        guard let pcm else { return reading }
        defer { _ = cm_pcm_close(pcm) }
        guard let parameters = cm_hw_new() else {
            reading.note("snd_pcm_hw_params_malloc", -Errno.noMemory.number)
            return reading
        }
        defer { cm_hw_free(parameters) }
        reading.note("snd_pcm_hw_params_any", cm_hw_any(pcm, parameters))
        if reading.fault == nil { ask(parameters, of: pcm, &reading) }
        return reading
    }

    /// Reads the ranges, then tries each sample format: libasound has no list of those.
    private static func ask(_ parameters: OpaquePointer, of pcm: OpaquePointer, _ reading: inout FormatQueryResult) {
        var rates = cm_range()
        var channels = cm_range()
        reading.note("snd_pcm_hw_params_get_rate", cm_hw_rate_range(parameters, &rates))
        reading.note("snd_pcm_hw_params_get_channels", cm_hw_channels_range(parameters, &channels))
        guard reading.fault == nil, let rates = closed(rates), let channels = closed(channels) else { return }
        let formats = SampleFormat.allCases.filter { cm_hw_test_format(pcm, parameters, $0.pcm.rawValue) >= 0 }
        reading.formats = .audio(AudioRanges(sampleRates: rates, channels: channels, sampleFormats: formats))
    }

    /// Range as a Swift value; `nil` for an empty one, which would trap.
    private static func closed(_ range: cm_range) -> ClosedRange<Int>? {
        let (minimum, maximum) = (Int(clamping: range.minimum), Int(clamping: range.maximum))
        return minimum <= maximum ? minimum...maximum : nil
    }
}

/// Versions of the libraries that query and capture from devices.
///
/// *thread-safe*
package enum LibraryVersions {
    /// This package's version: printed by `--version` and stored with results, to distinguish those of different releases.
    package static let captureGate = "0.1.0"
    /// Version of alsa-lib; the other libraries do not report theirs. The corresponding C function is `snd_asoundlib_version`.
    package static var alsa: String { String(cString: cm_alsa_version()) }
}
