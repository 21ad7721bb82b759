import CaptureBase

/// H.264 encoder (ITU-T H.264) on OpenH264: High profile, one access unit for each frame, no frame
/// predicted from a later one.
///
/// Accepts raw frames and JPEG of even width and height, up to 3840x2160. Packets are NAL units after their lengths of four bytes,
/// as `avcC` announces (ISO/IEC 14496-15, 5.3); the parameter sets are only in ``CodecDescription/privateBytes``. Matrix and range
/// of the source are stated, not changed.
///
/// The corresponding C function is `EncodeFrame` of `ISVCEncoder`.
///
/// *session-bound*
public final class H264Encoder: TrackEncoder {
    /// Format of the camera's frames.
    public let format: VideoFormat
    /// Bitrate or quality, key frames and complexity.
    public let parameters: PredictionParameters
    public private(set) var description: CodecDescription
    public var counts: EncoderCounts { frames.counts }

    private let frames: PredictedFrames

    /// Largest frame of level 5.2, in macroblocks of 16 x 16.
    private static let mostBlocks = 36_864
    /// Frames per second that OpenH264's rate control knows.
    private static let rates = 1.0...60.0

    /// Keeps the parameters; `begin` checks them.
    /// - Parameters:
    ///   - format: of the camera's frames.
    ///   - parameters: bitrate or quality, key frames and complexity.
    public init(format: VideoFormat, parameters: PredictionParameters = PredictionParameters()) {
        self.format = format
        self.parameters = parameters
        frames = PredictedFrames(.h264, format, parameters)
        description = CodecDescription(matroskaID: "V_MPEG4/ISO/AVC", colorimetry: frames.colorimetry)
    }

    /// Loads and sets up OpenH264.
    /// - Throws: `.usage` for a format that H.264 can't hold or parameters out of range;
    ///   `.unavailable` if the library is missing.
    public func begin() throws(CaptureError) {
        try frames.check()
        let blocks = (format.width + 15) / 16 * ((format.height + 15) / 16)
        guard format.width.isMultiple(of: 2), format.height.isMultiple(of: 2), min(format.width, format.height) >= 16,
            blocks <= Self.mostBlocks
        else { throw frames.cannotEncode }
        try frames.open(worst: 51, best: 10, speed: speed, rates: Self.rates)
        guard let record = ParameterSets(lengths: try frames.head(), .avc).record else {
            throw frames.failure("describe", 0)
        }
        description.privateBytes = record
    }

    /// Complexity modes of OpenH264: 2 is the fastest.
    private var speed: Int { parameters.complexity < 4 ? 2 : parameters.complexity < 7 ? 1 : 0 }

    public func encode(
        _ data: RawSpan, at nanoseconds: Int64, into packets: inout PacketBuffer
    ) throws(CaptureError) {
        try frames.encode(data, at: nanoseconds, into: &packets)
    }

    /// Every frame is complete when it is encoded.
    public func finish(into packets: inout PacketBuffer) {}
}
