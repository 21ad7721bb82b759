import CaptureGate

/// How sound is stored where a container leaves a choice.
///
/// *thread-safe*
public enum AudioCodec: String, Hashable, Sendable, CaseIterable {
    /// As it is.
    case automatic = "auto"
    case pcm
    case flac
}

/// How pictures are stored where a container leaves a choice.
///
/// *thread-safe*
public enum VideoCodec: String, Hashable, Sendable, CaseIterable {
    /// MJPEG: the camera's own where it gives it.
    case automatic = "auto"
    case mjpeg
    /// Uncompressed.
    case raw
}

/// What the encoders of a clip are told.
///
/// *thread-safe*
public struct EncoderSettings: Hashable, Sendable {
    public var audioCodec = AudioCodec.automatic
    /// 0 (fast) to 8 (small).
    public var flacLevel = 5
    public var videoCodec = VideoCodec.automatic
    public var mjpeg = MJPEGParameters()

    public init() {}

    /// An encoder for a track, not yet begun.
    /// - Parameter labels: Vorbis comments for FLAC.
    public func encoder(for track: ClipTrack, labels: [String] = []) -> any Encoder {
        switch track.media {
        case .audio(let format):
            audioCodec == .flac
                ? FLACEncoder(format: format, level: flacLevel, labels: labels) : PCMEncoder(format: format)
        case .video(let format): videoEncoder(for: format)
        }
    }

    private func videoEncoder(for format: VideoFormat) -> any Encoder {
        switch videoCodec {
        case .raw: RawVideoEncoder(format: format)
        case .automatic, .mjpeg:
            format.pixelFormat.isCompressed
                ? MJPEGRepair(format: format) : MJPEGEncoder(format: format, parameters: mjpeg)
        }
    }
}
