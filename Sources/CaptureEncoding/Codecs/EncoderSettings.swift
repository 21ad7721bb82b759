import CaptureBase

/// Audio codec of a container that offers several.
///
/// *thread-safe*
public enum AudioCodec: String, Hashable, Sendable, CaseIterable {
    /// AAC in MP4, Opus in WebM; elsewhere FLAC, or PCM if FLAC can't hold the samples.
    ///
    /// FLAC is lossless and takes about half the bytes of PCM.
    case automatic = "auto"
    /// Uncompressed samples, for tools that read no other codec.
    case pcm
    /// Lossless (RFC 9639): integers of 16 to 32 bits, at most 8 channels.
    case flac
    /// Lossy and small (RFC 6716): at most 48 kHz.
    case opus
    /// Lossy, for players that know no Opus (AAC-LC, ISO/IEC 14496-3): one or two channels.
    case aac
}

/// Video codec of a container that offers several.
///
/// *thread-safe*
public enum VideoCodec: String, Hashable, Sendable, CaseIterable {
    /// H.264 in MP4, VP8 in WebM; elsewhere MJPEG, the camera's own images if it delivers JPEG. What a camera codes as H.264
    /// or H.265 itself stays as it is.
    case automatic = "auto"
    /// Motion-JPEG: every frame is a separate JPEG image (ITU-T T.81).
    case mjpeg
    /// Uncompressed.
    case raw
    /// Predicted frames that every player supports (ITU-T H.264): the camera's own if it delivers them.
    case h264
    /// The codec of WebM (RFC 6386).
    case vp8
    /// Its successor: fewer bits in more time.
    case vp9
    /// Smallest bitrate, with the longest time for encoding.
    case av1
}

/// Codec choice and parameters of a clip's encoders.
///
/// Values are checked by the encoders' `begin`, not here, so that a command line can set one option
/// after the other.
///
/// *thread-safe*
public struct EncoderSettings: Hashable, Sendable {
    /// Codec of audio tracks.
    public var audioCodec = AudioCodec.automatic
    /// Compression level of libFLAC: 0 (fast) to 8 (small).
    public var flacLevel = 5
    /// Parameters of Opus.
    public var opus = OpusParameters()
    /// Codec of video tracks.
    public var videoCodec = VideoCodec.automatic
    /// Parameters of JPEG; unused for a camera's own JPEG, which is not encoded again.
    public var mjpeg = MJPEGParameters()
    /// Parameters of H.264, VP8, VP9 and AV1.
    public var prediction = PredictionParameters()
    /// Bits per second of AAC, all channels together; `nil` for a rate by channels and samples.
    public var aacBitrate: Int?

    /// Encoders of the program's own, ahead of those that the codecs name; `nil` for none.
    public var own: OwnEncoders?

    /// Number of threads for a video frame, including the caller's; `nil` for the number of processors.
    package var threads: Int?

    /// The defaults: lossless audio, JPEG of quality 90.
    public init() {}

    /// Makes the encoder of a track, not yet begun.
    /// - Parameters:
    ///   - track: format and device.
    ///   - labels: Vorbis comments, `NAME=text`; FLAC alone stores them in its own stream header.
    /// - Returns: an encoder whose `begin` throws if the codec can't hold the format.
    public func encoder(for track: ClipTrack, labels: [String] = []) -> any TrackEncoder {
        if track.coded == nil, let encoder = own?.encoder(for: track) { return encoder }
        return switch track.media {
        case .audio(let format): audioEncoder(for: format, labels)
        case .video(let format):
            track.coded.map { CodedVideoEncoder($0, of: format) } ?? videoEncoder(for: format)
        }
    }

    private func audioEncoder(for format: AudioFormat, _ labels: [String]) -> any TrackEncoder {
        switch audioCodec {
        case .automatic where !FLACEncoder.holds(format), .pcm: PCMEncoder(format: format)
        case .automatic, .flac: FLACEncoder(format: format, level: flacLevel, labels: labels)
        case .opus: OpusEncoder(format: format, parameters: opus)
        case .aac: AACEncoder(format: format, bitrate: aacBitrate)
        }
    }

    private func videoEncoder(for format: VideoFormat) -> any TrackEncoder {
        switch videoCodec {
        // With MP4, automatic means H.264, and also stores a camera's H.265.
        case .automatic where format.pixelFormat.isPredicted, .h264 where format.pixelFormat.isPredicted:
            CameraStreamEncoder(format: format)
        case .raw: RawVideoEncoder(format: format)
        case .h264: H264Encoder(format: format, parameters: prediction)
        case .vp8: VPXEncoder(.vp8, format: format, parameters: prediction)
        case .vp9: VPXEncoder(.vp9, format: format, parameters: prediction)
        case .av1: AV1Encoder(format: format, parameters: prediction)
        case .automatic, .mjpeg:
            format.pixelFormat.isJPEG
                ? MJPEGRepair(format: format) : MJPEGEncoder(format: format, parameters: mjpeg, threads: threads)
        }
    }
}

/// Parameters of JPEG compression.
///
/// *thread-safe*
public struct MJPEGParameters: Hashable, Sendable {
    /// Chroma sampling of the images.
    public enum Chroma: String, Hashable, Sendable, CaseIterable {
        /// The source's: 4:2:2 from 4:2:2 and RGB, 4:2:0 from 4:2:0.
        case asSource = "source"
        /// Half the chroma columns.
        case yuv422 = "422"
        /// Half the chroma columns and rows, of RGB and packed 4:2:2; planes keep their sampling.
        case yuv420 = "420"
    }

    /// Range of the camera's YUV.
    public enum Range: String, Hashable, Sendable, CaseIterable {
        /// As the camera reports.
        case asSource = "source"
        /// Y of 16 to 235, V4L2's default for YUV; expanded to JFIF's 0 to 255.
        case limited
        /// Y of 0 to 255, which is stored as it is.
        case full
    }

    /// Quantization steps of the frequencies.
    public enum Quantization: String, Hashable, Sendable, CaseIterable {
        /// Nearly equal steps for all frequencies, for chroma and luma, with a dead zone: small values between two steps are
        /// rounded down. Gives the fewest bytes for equal similarity (SSIM).
        case even
        /// Tables of ITU-T T.81, annex K, which most programs use: coarse in chroma and in fine detail.
        case annexK
    }

    /// Huffman codes; each image carries its own.
    public enum Codes: String, Hashable, Sendable, CaseIterable {
        /// Fitted to the preceding images every sixteen images; those of the first image, to
        /// itself.
        case fitted
        /// Codes of ITU-T T.81, annex K, for decoders that know no others.
        case standard
    }

    /// 1 (small) to 100 (large); 90 is visually the same as the source.
    public var quality = 90
    /// Chroma sampling; a 4:2:0 source can't be stored as 4:2:2.
    public var chroma = Chroma.asSource
    /// Range of the camera's YUV, for a camera that reports it wrongly. RGB and grey ignore it.
    public var range = Range.asSource

    /// Quantization steps; quality scales both kinds.
    public var quantization = Quantization.even
    /// Huffman codes.
    public var codes = Codes.fitted

    /// - Parameters:
    ///   - quality: 1 (small) to 100 (large).
    ///   - chroma: chroma sampling of the images.
    ///   - range: of the camera's YUV, if the camera reports it wrongly.
    ///   - quantization: steps of the frequencies.
    ///   - codes: Huffman codes.
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

/// Parameters of Opus.
///
/// *thread-safe*
public struct OpusParameters: Hashable, Sendable {
    /// Purpose that the encoder is tuned for (`OPUS_SET_APPLICATION`).
    public enum Application: String, Hashable, Sendable, CaseIterable {
        /// Fidelity to the source.
        case audio
        /// Intelligibility of speech.
        case voice
        /// Lowest delay, 2.5 ms, without the modes made for speech.
        case lowDelay = "low-delay"
    }

    /// Distribution of bits over time (`OPUS_SET_VBR`, `OPUS_SET_VBR_CONSTRAINT`).
    public enum BitrateMode: String, Hashable, Sendable, CaseIterable {
        /// Bits as needed at each moment.
        case variable = "vbr"
        /// Bits as needed at each moment, within the buffer of a link of that bitrate.
        case constrained = "cvbr"
        /// Packets of equal size.
        case constant = "cbr"
    }

    /// Duration of a packet in microseconds. Longer packets cost fewer bits, and lose more when one
    /// is lost.
    public enum FrameDuration: Int, Hashable, Sendable, CaseIterable {
        case milliseconds2And5Tenths = 2500
        case milliseconds5 = 5000
        case milliseconds10 = 10_000
        case milliseconds20 = 20_000
        case milliseconds40 = 40_000
        case milliseconds60 = 60_000
    }

    /// Bits per second of all channels together, 6000 to 510,000 for each; `nil` lets libopus
    /// choose by rate and channels.
    public var bitrate: Int?
    /// Distribution of bits over time.
    public var mode = BitrateMode.variable
    /// 0 (fast) to 10 (best).
    public var complexity = 10
    /// Purpose that the encoder is tuned for.
    public var application = Application.audio
    /// Duration of a packet.
    public var frameDuration = FrameDuration.milliseconds20

    /// - Parameters:
    ///   - bitrate: bits per second of all channels together, 6000 to 510,000 for each; `nil` lets
    ///     libopus choose.
    ///   - mode: distribution of bits over time.
    ///   - complexity: 0 (fast) to 10 (best).
    ///   - application: purpose that the encoder is tuned for.
    ///   - frameDuration: duration of a packet.
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

/// Parameters of still images.
///
/// *thread-safe*
public struct StillParameters: Hashable, Sendable {
    /// Compression of JPEG from raw frames; a camera's own JPEG stays as it is. The range holds for
    /// PNG and QOI, too.
    public var jpeg = MJPEGParameters()
    /// Compression level of PNG: 0 (none) to 9 (small).
    public var pngLevel = 6

    /// - Parameters:
    ///   - jpeg: compression of JPEG from raw frames.
    ///   - pngLevel: 0 (none) to 9 (small).
    public init(jpeg: MJPEGParameters = MJPEGParameters(), pngLevel: Int = 6) {
        self.jpeg = jpeg
        self.pngLevel = pngLevel
    }
}
