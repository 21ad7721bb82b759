import CaptureBase

/// Encoder of VP8 (RFC 6386) and VP9 on libvpx: one packet for each frame, no frame predicted from a
/// later one, none that is not shown.
///
/// Takes raw frames and JPEG of up to 16383 pixels in each direction. VP8 can state neither matrix nor
/// range, and gets BT.601 of limited range; VP9 states those of the source, except for BT.2020's
/// constant luminance, which becomes BT.601.
///
/// The corresponding C function is `vpx_codec_encode`.
///
/// *session-bound*
public final class VPXEncoder: TrackEncoder {
    /// Codecs of the library.
    public enum Codec: Hashable, Sendable {
        case vp8, vp9
    }

    /// VP8 or VP9.
    public let codec: Codec
    /// Format of the camera's frames.
    public let format: VideoFormat
    /// Bitrate or quality, key frames and complexity.
    public let parameters: PredictionParameters
    public var counts: EncoderCounts { frames.counts }

    private let frames: PredictedFrames

    /// Keeps the parameters; `begin` checks them.
    /// - Parameters:
    ///   - codec: VP8 or VP9.
    ///   - format: of the camera's frames.
    ///   - parameters: bitrate or quality, key frames and complexity.
    public init(_ codec: Codec, format: VideoFormat, parameters: PredictionParameters = PredictionParameters()) {
        self.codec = codec
        self.format = format
        self.parameters = parameters
        frames = PredictedFrames(codec == .vp8 ? .vp8 : .vp9, format, parameters)
    }

    /// Every key frame carries what a decoder needs; there is no CodecPrivate.
    public var description: CodecDescription {
        CodecDescription(matroskaID: codec == .vp8 ? "V_VP8" : "V_VP9", colorimetry: frames.colorimetry)
    }

    /// Loads and sets up libvpx.
    /// - Throws: `.usage` for a format that the codec can't hold or parameters out of range;
    ///   `.unavailable` if the library is missing.
    public func begin() throws(CaptureError) {
        try frames.check()
        guard max(format.width, format.height) < 16_384 else { throw frames.cannotEncode }
        // VP9 needs about four fifths of the bits of VP8 for the same quality.
        try frames.open(worst: 63, best: 4, share: codec == .vp8 ? 1 : 0.8, speed: speed)
    }

    /// `cpu-used` of the library's real-time mode: up to 16 for VP8 and 9 for VP9.
    private var speed: Int {
        codec == .vp8 ? 16 - (parameters.complexity * 6 + 2) / 4 : 9 - (parameters.complexity + 1) / 2
    }

    public func encode(
        _ data: RawSpan, at nanoseconds: Int64, into packets: inout PacketBuffer
    ) throws(CaptureError) {
        try frames.encode(data, at: nanoseconds, into: &packets)
    }

    /// Every frame is complete when it is encoded.
    public func finish(into packets: inout PacketBuffer) {}
}
