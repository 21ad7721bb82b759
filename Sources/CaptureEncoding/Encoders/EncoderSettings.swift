import CaptureGate

/// How sound is stored where a container leaves a choice.
///
/// *thread-safe*
public enum AudioCodec: String, Hashable, Sendable, CaseIterable {
    /// FLAC, which takes about half of PCM's room and loses no bit; PCM where FLAC can't hold the samples.
    case automatic = "auto"
    case pcm
    case flac
    /// Not bit by bit, but small.
    case opus
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
    public var opus = OpusParameters()
    public var videoCodec = VideoCodec.automatic
    public var mjpeg = MJPEGParameters()

    public init() {}

    /// An encoder for a track, not yet begun.
    /// - Parameters:
    ///   - track: what is to be encoded.
    ///   - labels: Vorbis comments for FLAC.
    public func encoder(for track: ClipTrack, labels: [String] = []) -> any Encoder {
        switch track.media {
        case .audio(let format): audioEncoder(for: format, labels)
        case .video(let format): videoEncoder(for: format)
        }
    }

    private func audioEncoder(for format: AudioFormat, _ labels: [String]) -> any Encoder {
        switch audioCodec {
        case .automatic where !FLACEncoder.holds(format), .pcm: PCMEncoder(format: format)
        case .automatic, .flac: FLACEncoder(format: format, level: flacLevel, labels: labels)
        case .opus: OpusEncoder(format: format, parameters: opus)
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
