import ArgumentParser
import CaptureGate
import CaptureRecording

/// Options of the encoders.
///
/// All are optional, to distinguish an option that was given
/// from a default: one whose encoder can't be in use is refused.
struct EncodingOptions: ParsableArguments {
    @Option(help: .advanced("FLAC effort, 0 (fast) to 8 (small) (default 5).", valueName: "n"))
    var flacLevel: Int?

    @Option(help: .advanced("JPEG quality, 1 (small) to 100 (best) (default 90).", valueName: "n"))
    var jpegQuality: Int?

    @Option(
        help: ArgumentHelp("Bitrate of H.264, VP8, VP9 or AV1, such as 4M.", valueName: "rate"),
        transform: BitrateArgument.parse)
    var videoBitrate: BitrateArgument?

    @Option(
        help: .advanced(
            "Constant quality, 1 (small) to 100 (best).",
            discussion: "The encoder uses as many bits as the quality needs. It excludes --video-bitrate.",
            valueName: "n"))
    var videoQuality: Int?

    @Option(help: .advanced("Video effort, 0 (fast) to 10 (best) (default 2).", valueName: "n"))
    var videoComplexity: Int?

    @Option(help: .advanced("Key-frame interval (default 2s).", valueName: "time"), transform: DurationArgument.parse)
    var keyframeInterval: DurationArgument?

    @Option(
        help: .advanced("AAC bitrate of all channels, such as 128k.", valueName: "rate"),
        transform: BitrateArgument.parse)
    var aacBitrate: BitrateArgument?

    @Option(
        help: .advanced("Opus bitrate of all channels, such as 96k.", valueName: "rate"),
        transform: BitrateArgument.parse)
    var opusBitrate: BitrateArgument?

    @Option(help: .advanced("Kind of audio that Opus is tuned for.", valueName: "use"))
    var opusApplication: OpusParameters.Application?

    @Option(
        help: .advanced(
            "Bitrate mode of Opus.",
            discussion: "With vbr the bitrate varies, with cvbr it varies within limits, and with cbr it is constant.",
            valueName: "mode"))
    var opusMode: OpusParameters.BitrateMode?

    @Option(help: .advanced("Opus effort, 0 (fast) to 10 (best) (default 10).", valueName: "n"))
    var opusComplexity: Int?

    @Option(
        help: .advanced("Opus packet: 2.5, 5, 10, 20, 40 or 60 ms.", valueName: "ms"),
        completion: .list(["2.5", "5", "10", "20", "40", "60"]), transform: Self.duration)
    var opusFrame: OpusParameters.FrameDuration?

    /// Checks ranges: ArgumentParser checks the type of a number alone.
    func validate() throws {
        try Self.check("--flac-level", flacLevel, 0...8)
        try Self.check("--jpeg-quality", jpegQuality, 1...100)
        try Self.check("--opus-complexity", opusComplexity, 0...10)
        try Self.check("--video-quality", videoQuality, 1...100)
        try Self.check("--video-complexity", videoComplexity, 0...10)
        if videoBitrate != nil, videoQuality != nil {
            throw ValidationError("Use only one of --video-bitrate and --video-quality.")
        }
        if let interval = keyframeInterval?.duration, interval < .milliseconds(100) || interval > .seconds(60) {
            throw ValidationError("--keyframe-interval must be 100ms to 1m.")
        }
    }

    /// Checks one value against its range.
    private static func check(_ option: String, _ value: Int?, _ range: ClosedRange<Int>) throws {
        guard let value, !range.contains(value) else { return }
        throw ValidationError("\(option) must be \(range.lowerBound) to \(range.upperBound), not \(value).")
    }

    /// Packet duration from milliseconds; the library counts microseconds, in which 2.5 ms is an integer.
    private static func duration(_ argument: String) throws -> OpusParameters.FrameDuration {
        let digits = argument.hasSuffix("ms") ? String(argument.dropLast(2)) : argument
        let found = Double(digits).flatMap { value in
            OpusParameters.FrameDuration.allCases.first { Double($0.rawValue) == value * 1000 }
        }
        guard let found else { throw ValidationError("Write 2.5, 5, 10, 20, 40 or 60.") }
        return found
    }

    /// Refuses an option of an encoder that is not in use: if it
    /// were ignored, it would look as if it had been applied.
    ///
    /// - Parameter codecs: encoders that any of the outputs may use.
    /// - Throws: `.usage`.
    func check(_ codecs: Set<String>) throws(CaptureError) {
        for (codec, option) in said where !codecs.contains(codec) {
            throw CaptureError(
                .usage, "\(option) is for \(codec), but this recording does not use \(codec).",
                remedies: [Remedy("Remove \(option), or choose a format or codec with \(codec).")])
        }
    }

    /// Options that were given, with their encoder's name.
    private var said: [(codec: String, option: String)] {
        let options: [(String, String, Bool)] = [
            ("FLAC", "--flac-level", flacLevel != nil), ("JPEG", "--jpeg-quality", jpegQuality != nil),
            ("Opus", "--opus-bitrate", opusBitrate != nil), ("Opus", "--opus-application", opusApplication != nil),
            ("Opus", "--opus-mode", opusMode != nil), ("Opus", "--opus-complexity", opusComplexity != nil),
            ("Opus", "--opus-frame", opusFrame != nil), ("AAC", "--aac-bitrate", aacBitrate != nil),
            (Self.predicted, "--video-bitrate", videoBitrate != nil),
            (Self.predicted, "--video-quality", videoQuality != nil),
            (Self.predicted, "--video-complexity", videoComplexity != nil),
            (Self.predicted, "--keyframe-interval", keyframeInterval != nil),
        ]
        return options.filter(\.2).map { ($0.0, $0.1) }
    }

    /// First option given about the coding of video; `nil` without one.
    var firstOfVideo: String? {
        said.first { $0.codec == Self.predicted || $0.codec == "JPEG" }?.option
    }

    /// Codecs that predict frames from other frames, as messages name them.
    static let predicted = "H.264, VP8, VP9 or AV1"

    /// Copies the options into the settings; the defaults of the library stay otherwise.
    func apply(to settings: inout EncoderSettings) {
        settings.flacLevel = flacLevel ?? settings.flacLevel
        settings.mjpeg.quality = jpegQuality ?? settings.mjpeg.quality
        settings.opus.bitrate = opusBitrate?.bitsPerSecond
        settings.opus.application = opusApplication ?? settings.opus.application
        settings.opus.mode = opusMode ?? settings.opus.mode
        settings.opus.complexity = opusComplexity ?? settings.opus.complexity
        settings.opus.frameDuration = opusFrame ?? settings.opus.frameDuration
        settings.aacBitrate = aacBitrate?.bitsPerSecond
        settings.prediction.bitrate = videoBitrate?.bitsPerSecond
        settings.prediction.quality = videoQuality
        settings.prediction.complexity = videoComplexity ?? settings.prediction.complexity
        settings.prediction.keyFrameInterval = keyframeInterval?.duration ?? settings.prediction.keyFrameInterval
    }
}

extension OpusParameters.Application: ExpressibleByArgument {}
extension OpusParameters.BitrateMode: ExpressibleByArgument {}

extension ClipFormat {
    /// Checks whether the format holds what the codecs produce, before anybody is asked for a device.
    ///
    /// - Throws: `.usage`, with what to do instead.
    func check(_ video: VideoCodec, _ audio: AudioCodec) throws(CaptureError) {
        guard videoCodecs.contains(video) else { throw other("--video-codec \(video.rawValue)") }
        guard audioCodecs.contains(audio) else { throw other("--audio-codec \(audio.rawValue)") }
    }

    /// Video codecs that the format accepts; `automatic` fits every format.
    private var videoCodecs: [VideoCodec] {
        switch self {
        case .matroska, .nothing: VideoCodec.allCases
        case .mp4: [.automatic, .mjpeg, .h264]
        case .webm: [.automatic, .vp8, .vp9, .av1]
        case .mjpeg: [.automatic, .mjpeg]
        case .y4m, .raw, .wav, .flac, .opus: [.automatic, .raw]
        case .v4l2, .own: [.automatic]
        }
    }

    /// Audio codecs that the format accepts.
    private var audioCodecs: [AudioCodec] {
        switch self {
        case .matroska, .nothing: AudioCodec.allCases
        case .mp4: [.automatic, .pcm, .flac, .opus, .aac]
        case .flac: [.automatic, .flac]
        case .opus, .webm: [.automatic, .opus]
        case .wav, .raw, .y4m, .mjpeg: [.automatic, .pcm]
        case .v4l2, .own: [.automatic]
        }
    }

    /// Encoders that may be in use and have their own settings, named as in the messages of `EncodingOptions`.
    ///
    /// "May": whether JPEG is encoded depends on what the camera delivers, which is known only once it is open.
    func codecs(_ video: VideoCodec, _ audio: AudioCodec, _ kinds: Set<MediaKind>) -> Set<String> {
        switch self {
        case .flac: return ["FLAC"]
        case .opus: return ["Opus"]
        case .mjpeg: return ["JPEG"]
        case .wav, .y4m, .raw, .nothing, .v4l2, .own: return []
        case .matroska, .mp4, .webm: break
        }
        var settings = EncoderSettings()
        (settings.videoCodec, settings.audioCodec) = (video, audio)
        settings = settings.chosen(for: self)
        var codecs: Set<String> = []
        if kinds.contains(.video) { codecs.formUnion(Self.names[settings.videoCodec.rawValue] ?? []) }
        if kinds.contains(.audio) { codecs.formUnion(Self.names[settings.audioCodec.rawValue] ?? []) }
        if kinds.contains(.video), settings.videoCodec == .automatic { codecs.insert("JPEG") }
        // FLAC is Matroska's default, being lossless.
        if kinds.contains(.audio), settings.audioCodec == .automatic { codecs.insert("FLAC") }
        return codecs
    }

    /// Encoders by codec.
    private static let names: [String: Set<String>] = [
        "mjpeg": ["JPEG"], "h264": [EncodingOptions.predicted], "vp8": [EncodingOptions.predicted],
        "vp9": [EncodingOptions.predicted], "av1": [EncodingOptions.predicted], "flac": ["FLAC"], "opus": ["Opus"],
        "aac": ["AAC"],
    ]

    /// Error for a codec that the format can't hold.
    private func other(_ option: String) -> CaptureError {
        if self == .v4l2 {
            return CaptureError(
                .usage, "\(title) stores nothing, so \(option) has no effect.",
                remedies: [Remedy("Remove the option. --pixel-format sets the camera's format.")])
        }
        return CaptureError(
            .usage, "A .\(rawValue) file can't contain the codec of \(option).",
            remedies: [Remedy("Record to a name that ends in .mkv, or remove the option.")])
    }
}
