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

/// How raw pictures become JPEG.
///
/// *thread-safe*
public struct MJPEGParameters: Hashable, Sendable {
    public enum Chroma: String, Hashable, Sendable, CaseIterable {
        /// 4:2:2 from 4:2:2 and RGB, 4:2:0 from 4:2:0.
        case asSource = "source"
        case yuv422 = "422"
        case yuv420 = "420"
    }

    public enum Range: String, Hashable, Sendable, CaseIterable {
        /// What the camera says.
        case asSource = "source"
        /// Y of 16 to 235, V4L2's default for YUV; widened to JFIF's 0 to 255.
        case limited
        /// Y of 0 to 255.
        case full
    }

    /// How coarse each frequency is.
    public enum Quantization: String, Hashable, Sendable, CaseIterable {
        /// Nearly the same steps for all frequencies and for colour as for brightness, and what is between two steps is
        /// rounded down where it is small: the fewest bytes for equal likeness (SSIM).
        case even
        /// The tables of ITU-T T.81, annex K, as most programs have them: coarse in colour and in fine detail.
        case annexK
    }

    /// The Huffman codes; each image has them in it.
    public enum Codes: String, Hashable, Sendable, CaseIterable {
        /// Made from the pictures before, every sixteen pictures, and for the first one from itself.
        case fitted
        /// Those of ITU-T T.81, annex K, for decoders that know no others.
        case standard
    }

    /// 1 (small) to 100 (large); 90 looks like the source.
    public var quality = 90
    public var chroma = Chroma.asSource
    /// Which range the camera's YUV has, where the camera says it wrongly; without a meaning for RGB and grey.
    public var range = Range.asSource

    public var quantization = Quantization.even
    public var codes = Codes.fitted

    public init(
        quality: Int = 90, chroma: Chroma = .asSource, range: Range = .asSource, quantization: Quantization = .even,
        codes: Codes = .fitted
    ) {
        self.quality = quality
        self.chroma = chroma
        self.range = range
        self.quantization = quantization
        self.codes = codes
    }
}

/// How sound becomes Opus.
///
/// *thread-safe*
public struct OpusParameters: Hashable, Sendable {
    /// What the encoder is to be good at (`OPUS_SET_APPLICATION`).
    public enum Application: String, Hashable, Sendable, CaseIterable {
        /// Likeness to the source.
        case audio
        /// Understanding of speech.
        case voice
        /// The least delay, 2.5 ms, without the modes that are made for speech.
        case lowDelay = "low-delay"
    }

    /// How the bits are spread over time (`OPUS_SET_VBR`, `OPUS_SET_VBR_CONSTRAINT`).
    public enum BitrateMode: String, Hashable, Sendable, CaseIterable {
        /// As many as a moment needs.
        case variable = "vbr"
        /// As many as a moment needs, within what a line of the bitrate carries.
        case constrained = "cvbr"
        /// Packets of equal size.
        case constant = "cbr"
    }

    /// How long a packet lasts, microseconds: longer ones cost fewer bits and are lost at once.
    public enum FrameDuration: Int, Hashable, Sendable, CaseIterable {
        case milliseconds2And5Tenths = 2500
        case milliseconds5 = 5000
        case milliseconds10 = 10_000
        case milliseconds20 = 20_000
        case milliseconds40 = 40_000
        case milliseconds60 = 60_000
    }

    /// Bits a second of all channels together, 6000 to 510,000 for each; `nil` lets libopus choose by rate and
    /// channels.
    public var bitrate: Int?
    public var mode = BitrateMode.variable
    /// 0 (fast) to 10 (best).
    public var complexity = 10
    public var application = Application.audio
    public var frameDuration = FrameDuration.milliseconds20

    /// - Parameters:
    ///   - bitrate: bits a second of all channels together, 6000 to 510,000 for each; `nil` lets libopus choose.
    ///   - mode: how far packets may differ in size.
    ///   - complexity: 0 (fast) to 10 (best).
    ///   - application: what the encoder is tuned for.
    ///   - frameDuration: how much sound a packet has.
    public init(
        bitrate: Int? = nil, mode: BitrateMode = .variable, complexity: Int = 10, application: Application = .audio,
        frameDuration: FrameDuration = .milliseconds20
    ) {
        self.bitrate = bitrate
        self.mode = mode
        self.complexity = complexity
        self.application = application
        self.frameDuration = frameDuration
    }
}

/// How a single picture is encoded.
///
/// *thread-safe*
public struct StillParameters: Hashable, Sendable {
    /// For JPEG of raw pictures; a camera's own JPEG stays as it is. Its range holds for PNG and QOI too.
    public var jpeg = MJPEGParameters()
    /// 0 (not compressed) to 9 (small).
    public var pngLevel = 6

    /// - Parameters:
    ///   - jpeg: for JPEG of raw pictures.
    ///   - pngLevel: 0 (not compressed) to 9 (small).
    public init(jpeg: MJPEGParameters = MJPEGParameters(), pngLevel: Int = 6) {
        self.jpeg = jpeg
        self.pngLevel = pngLevel
    }
}
