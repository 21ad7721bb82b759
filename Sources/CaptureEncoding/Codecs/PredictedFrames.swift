import CCodecs
import CaptureBase

/// Parameters of codecs that predict frames from one another: H.264, VP8, VP9 and AV1.
///
/// *thread-safe*
public struct PredictionParameters: Hashable, Sendable {
    /// Bits per second, 10,000 to 500 million; `nil` for a rate by the size and rate of the frames.
    public var bitrate: Int?
    /// Constant quality, 1 (small) to 100 (large), with any number of bits; `nil` keeps to the bitrate.
    public var quality: Int?
    /// Longest time from one key frame to the next, 100 ms to 1 minute: players seek to key frames,
    /// and an interrupted clip is damaged up to the next one.
    public var keyFrameInterval = Duration.seconds(2)
    /// 0 (fast) to 10 (small for equal quality).
    public var complexity = 2

    /// - Parameters:
    ///   - bitrate: bits per second; `nil` for a rate by the size and rate of the frames.
    ///   - quality: 1 (small) to 100 (large); `nil` keeps to the bitrate.
    ///   - keyFrameInterval: 100 ms to 1 minute.
    ///   - complexity: 0 (fast) to 10.
    public init(
        bitrate: Int? = nil, quality: Int? = nil, keyFrameInterval: Duration = .seconds(2), complexity: Int = 2
    ) {
        self.bitrate = bitrate
        self.quality = quality
        self.keyFrameInterval = keyFrameInterval
        self.complexity = complexity
    }
}

/// Codec of predicted frames.
enum PredictionCodec {
    case h264, vp8, vp9, av1

    /// Name for people.
    var title: String {
        switch self {
        case .h264: "H.264"
        case .vp8: "VP8"
        case .vp9: "VP9"
        case .av1: "AV1"
        }
    }

    var library: CodecLibrary {
        switch self {
        case .h264: .openH264
        case .vp8, .vp9: .libvpx
        case .av1: .svtAV1
        }
    }
}

/// Frames on their way into an encoder that predicts them from one another: their planes, the key
/// frames among them, and their number.
///
/// *session-bound*
final class PredictedFrames {
    let codec: PredictionCodec
    let format: VideoFormat
    let parameters: PredictionParameters
    private(set) var counts = EncoderCounts()
    /// The library's encoder; `nil` until it is opened.
    private var handle: OpaquePointer?
    /// `nil` for a format without a layout here.
    private let converter: YUV420Converter?
    /// Timestamp of the last key frame, in nanoseconds.
    private var lastKey: Int64?

    /// - Parameters:
    ///   - codec: of the packets.
    ///   - format: of the camera's frames.
    ///   - parameters: checked by `check()`.
    init(_ codec: PredictionCodec, _ format: VideoFormat, _ parameters: PredictionParameters) {
        self.codec = codec
        self.format = format
        self.parameters = parameters
        // VP8 states neither matrix nor range, and VP9 not every matrix: players assume BT.601.
        let isStated = codec != .vp8 && (codec != .vp9 || format.colorimetry.matrix != .bt2020Constant)
        converter = YUV420Converter(format, to: isStated ? .source : .y4m, isLimited: codec == .vp8)
    }

    deinit {
        switch codec {
        case .h264: cc_h264_free(handle)
        case .vp8, .vp9: cc_vpx_free(handle)
        case .av1: cc_av1_free(handle)
        }
    }

    /// Colorimetry of the coded planes.
    var colorimetry: Colorimetry { converter?.colorimetry ?? format.colorimetry }

    /// Converts a frame and makes the library encode it.
    ///
    /// The first frame is a key frame, and each that is due by the interval of the parameters.
    /// - Parameters:
    ///   - data: one driver buffer; a short or broken frame is skipped and counted.
    ///   - nanoseconds: presentation timestamp.
    ///   - packets: receives the packets.
    /// - Throws: `.inputOutput` if the library fails.
    func encode(_ data: RawSpan, at nanoseconds: Int64, into packets: inout PacketBuffer) throws(CaptureError) {
        guard handle != nil else { throw failure("use", 0) }
        guard let converter, let planes = try converter.picture(of: data) else {
            counts.skipped += 1
            return
        }
        counts.repaired = converter.repaired
        let duration = format.frameRate.frameNanoseconds
        let isKey = isKeyDue(at: nanoseconds, duration)
        var times = cc_frame_times(time: nanoseconds, duration: duration, is_key: isKey ? 1 : 0)
        var picture = cc_picture(
            plane: (planes.y, planes.cb, planes.cr),
            stride: (Int32(planes.strides.0), Int32(planes.strides.1), Int32(planes.strides.2)))
        let before = packets.count
        let result: Int32
        switch codec {
        case .h264: result = cc_h264_encode(handle, &picture, &times, &packets.storage)
        case .vp8, .vp9: result = cc_vpx_encode(handle, &picture, &times, &packets.storage)
        case .av1: result = cc_av1_encode(handle, &picture, &times, &packets.storage)
        }
        guard result >= 0 else { throw failure("use", -result) }
        if isKey { lastKey = nanoseconds }
        counts.frames += 1
        count(packets, from: before)
    }

    /// Waits for the frames that the library still holds: SVT-AV1 alone does.
    /// - Throws: `.inputOutput` if the library fails.
    func finish(into packets: inout PacketBuffer) throws(CaptureError) {
        // Without a frame the library would wait for one.
        guard codec == .av1, counts.frames > 0 else { return }
        let before = packets.count
        let result = cc_av1_finish(handle, format.frameRate.frameNanoseconds, &packets.storage)
        guard result >= 0 else { throw failure("finish", -result) }
        count(packets, from: before)
    }

    /// Counts packets that were appended.
    private func count(_ packets: borrowing PacketBuffer, from first: Int) {
        for index in first..<packets.count {
            counts.packets += 1
            counts.bytes += UInt64(packets.byteCount(of: index))
        }
    }

    /// Nearest frame to the interval's end, so that jitter does not add one now and then.
    private func isKeyDue(at nanoseconds: Int64, _ duration: Int64) -> Bool {
        guard let lastKey else { return true }
        return nanoseconds - lastKey + duration / 2 >= parameters.keyFrameInterval.exactNanoseconds
    }
}

/// Settings for the libraries.
extension PredictedFrames {
    /// Checks format and parameters ahead of the library, which would not name the wrong one.
    /// - Throws: `.usage`, with a remedy.
    func check() throws(CaptureError) {
        guard converter != nil else { throw cannotEncode }
        try Self.check("bitrate", parameters.bitrate, 10_000...500_000_000, "bit/s")
        try Self.check("quality", parameters.quality, 1...100, "of 100")
        try Self.check("complexity", parameters.complexity, 0...10, "of 10")
        let interval = parameters.keyFrameInterval
        guard interval >= .milliseconds(100), interval <= .seconds(60) else {
            throw CaptureError(
                .usage, "A key-frame interval of \(interval) is out of range.",
                remedies: [Remedy("Choose 100 ms to 1 minute.")])
        }
        guard parameters.bitrate == nil || parameters.quality == nil else {
            throw CaptureError(
                .usage, "Video takes either a bitrate or a quality.", remedies: [Remedy("Remove one of them.")])
        }
    }

    private static func check(
        _ name: String, _ value: Int?, _ range: ClosedRange<Int>, _ unit: String
    ) throws(CaptureError) {
        guard let value, !range.contains(value) else { return }
        throw CaptureError(
            .usage, "The video \(name) \(value) is out of range.",
            remedies: [Remedy("Choose \(range.lowerBound) to \(range.upperBound) \(unit).")])
    }

    /// Error for formats without a layout here, with the pixel formats to choose from.
    var cannotEncode: CaptureError {
        CaptureError(
            .usage, "\(format.width)x\(format.height) \(format.pixelFormat) can't be converted to \(codec.title).",
            remedies: [Remedy("Choose --pixel-format YUYV, NV12, YU12 or MJPG, and an even width and height.")])
    }

    /// Loads and opens the library.
    /// - Parameters: as of `libraryFormat(worst:best:share:speed:)`; `rates` are the frames per second that its rate
    ///   control knows.
    /// - Throws: `.unavailable` if it is missing, `.inputOutput` if it fails.
    func open(
        worst: Int, best: Int, share: Double = 1, speed: Int, rates: ClosedRange<Double>? = nil
    ) throws(CaptureError) {
        try codec.library.check()
        var wanted = libraryFormat(worst: worst, best: best, share: share, speed: speed)
        if let rates { fit(&wanted, to: rates) }
        let opened: Int32
        switch codec {
        case .h264: opened = cc_h264_open(&handle, &wanted)
        case .vp8: opened = cc_vpx_open(&handle, Int32(CC_VPX_VP8), &wanted)
        case .vp9: opened = cc_vpx_open(&handle, Int32(CC_VPX_VP9), &wanted)
        case .av1: opened = cc_av1_open(&handle, &wanted)
        }
        guard opened >= 0 else { throw failure("start", -opened) }
    }

    /// Stream header of the library: parameter sets of H.264, sequence header of AV1; empty for the others.
    /// - Throws: `.inputOutput` if the library fails.
    func head() throws(CaptureError) -> [UInt8] {
        var head = PacketBuffer()
        let made: Int32
        switch codec {
        case .h264: made = cc_h264_head(handle, &head.storage)
        case .vp8, .vp9: return []
        case .av1: made = cc_av1_head(handle, &head.storage)
        }
        guard made >= 0, head.count == 1 else { throw failure("describe", -made) }
        return head.withBytes(of: 0) { Array($0) }
    }

    /// Gives each frame its share of the bitrate where the library would take the rate for another one.
    private func fit(_ wanted: inout cc_video_format, to rates: ClosedRange<Double>) {
        let rate = Double(wanted.rate_numerator) / Double(wanted.rate_denominator)
        let known = min(max(rate, rates.lowerBound), rates.upperBound)
        guard known != rate else { return }
        (wanted.rate_numerator, wanted.rate_denominator) = (Int32(known), 1)
        wanted.bitrate = Int32(clamping: Int(Double(wanted.bitrate) * known / rate))
    }

    func failure(_ action: String, _ code: Int32) -> CaptureError {
        var reason = handle == nil && code == 0 ? "the encoder did not start" : "error \(code)"
        if let handle, codec.library == .libvpx { reason = String(cString: cc_vpx_text(handle)) }
        return CaptureError(.inputOutput, "\(codec.library.title) can't \(action) the stream: \(reason).", errno: code)
    }

    /// Settings for a library.
    /// - Parameters:
    ///   - worst: quantizer of the least quality.
    ///   - best: quantizer of quality 100.
    ///   - share: bits that the codec needs, of those of H.264.
    ///   - speed: as the library counts it.
    private func libraryFormat(worst: Int, best: Int, share: Double = 1, speed: Int) -> cc_video_format {
        var wanted = cc_video_format()
        (wanted.width, wanted.height) = (Int32(format.width), Int32(format.height))
        wanted.rate_numerator = Int32(clamping: format.frameRate.numerator)
        wanted.rate_denominator = Int32(clamping: format.frameRate.denominator)
        wanted.bitrate = parameters.quality == nil ? Int32(clamping: bitrate(share)) : 0
        wanted.quantizer = Int32(worst - (parameters.quality ?? 60) * (worst - best) / 100)
        let interval = Double(parameters.keyFrameInterval.exactNanoseconds)
        wanted.key_interval = Int32(max((interval / Double(format.frameRate.frameNanoseconds)).rounded(), 1))
        wanted.speed = Int32(speed)
        // One thread keeps up with frames of Full HD, of AV1 with fewer; the recorder has one for each output.
        wanted.threads = codec == .av1 ? 2 : format.width * format.height > 1920 * 1088 ? 4 : 1
        wanted.primaries = Int32(colorimetry.primariesCode)
        wanted.transfer = Int32(colorimetry.transferCode)
        wanted.matrix = Int32(colorimetry.matrixCode)
        wanted.is_full_range = colorimetry.range == .full ? 1 : 0
        if let aspect = format.pixelAspect, !aspect.isSquare {
            (wanted.aspect_width, wanted.aspect_height) = (
                Int32(clamping: aspect.width), Int32(clamping: aspect.height)
            )
        }
        return wanted
    }

    /// A tenth of a bit for each pixel: 2.8 Mbit/s of 1280x720 at 30 frames per second.
    private func bitrate(_ share: Double) -> Int {
        if let bitrate = parameters.bitrate { return bitrate }
        let pixels = Double(format.width * format.height) * 1e9 / Double(format.frameRate.frameNanoseconds)
        return min(max(Int(pixels * 0.1 * share), 100_000), 100_000_000)
    }
}

extension CodecLibrary {
    /// 0 if the library can be called, otherwise -errno of its shim.
    var state: Int32 {
        switch self {
        case .openH264: cc_h264_available()
        case .voAAC: cc_aac_available()
        case .libvpx: cc_vpx_available()
        case .svtAV1: cc_av1_available()
        }
    }
}
