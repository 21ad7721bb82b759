import CaptureGate
import CaptureRecording

/// Subject of a measurement: frames of one format, and the work done with them.
///
/// *thread-safe*
public struct BenchmarkSubject: Hashable, Sendable {
    public enum Work: Hashable, Sendable {
        /// An encoder of a clip's track.
        case encoder(EncoderSettings)
        /// Stills, one image per frame.
        case still(StillFormat, StillParameters)
        /// A whole clip, encoded and put into its container. The bytes are dropped: the disk is not measured.
        case clip(ClipFormat, EncoderSettings)
    }

    /// Name that identifies the result in a later comparison; unique in a run.
    public let name: String
    /// Format of the frames.
    public let media: ClipTrack.Media
    public let work: Work

    public init(name: String, media: ClipTrack.Media, work: Work) {
        self.name = name
        self.media = media
        self.work = work
    }

    var track: ClipTrack { ClipTrack(media, name: name, device: "benchmark") }

    /// Duration of a frame, or of a period of audio, in nanoseconds.
    var frameNanoseconds: Int64 {
        switch media {
        case .audio: BenchmarkFrames.periodNanoseconds
        case .video(let format): format.frameRate.frameNanoseconds
        }
    }
}

extension BenchmarkSubject {
    /// Common subjects: audio at 48 and 96 kHz, video of three sizes, and stills.
    ///
    /// The speed of video is relative to 30 frames per second; ``EncoderMeasurement/times(at:)`` relates it to other rates.
    public static var usual: [BenchmarkSubject] {
        guard let rate = FrameRate(30) else { return sound }
        return sound + pictures(rate) + stills(rate)
    }

    private static let stereo = AudioFormat(sampleRate: 48_000, channels: 2, sampleFormat: .s16)
    private static let studio = AudioFormat(sampleRate: 96_000, channels: 2, sampleFormat: .s24)
    private static let sizes = [(640, 480), (1280, 720), (1920, 1080)]

    private static var sound: [BenchmarkSubject] {
        var subjects = [audio("PCM", stereo) { $0.audioCodec = .pcm }]
        for level in [0, 5, 8] {
            subjects.append(
                audio("FLAC level \(level)", stereo) {
                    $0.audioCodec = .flac
                    $0.flacLevel = level
                })
        }
        subjects.append(audio("FLAC level 5, 96 kHz 24 bit", studio) { $0.audioCodec = .flac })
        for complexity in [5, 10] {
            subjects.append(
                audio("Opus complexity \(complexity)", stereo) {
                    $0.audioCodec = .opus
                    $0.opus.complexity = complexity
                })
        }
        return subjects
    }

    private static func audio(
        _ name: String, _ format: AudioFormat, _ change: (inout EncoderSettings) -> Void
    ) -> BenchmarkSubject {
        var settings = EncoderSettings()
        change(&settings)
        return BenchmarkSubject(name: name, media: .audio(format), work: .encoder(settings))
    }

    private static func pictures(_ rate: FrameRate) -> [BenchmarkSubject] {
        var subjects: [BenchmarkSubject] = []
        var raw = EncoderSettings()
        raw.videoCodec = .raw
        for (width, height) in sizes {
            let size = "\(width)x\(height)"
            let (packed, planar) = (video(width, height, .yuyv, rate), video(width, height, .nv12, rate))
            subjects += [
                BenchmarkSubject(name: "MJPEG 4:2:2 \(size)", media: packed, work: .encoder(EncoderSettings())),
                BenchmarkSubject(name: "MJPEG 4:2:0 \(size)", media: planar, work: .encoder(EncoderSettings())),
            ]
        }
        let camera = video(1920, 1080, .mjpeg, rate)
        let packed = video(1920, 1080, .yuyv, rate)
        return subjects + [
            BenchmarkSubject(name: "MJPEG as it comes 1920x1080", media: camera, work: .encoder(EncoderSettings())),
            BenchmarkSubject(name: "raw 4:2:2 1920x1080", media: packed, work: .encoder(raw)),
            BenchmarkSubject(name: "Y4M 1920x1080", media: packed, work: .clip(.y4m, raw)),
            BenchmarkSubject(
                name: "Matroska, MJPEG as it comes 1920x1080", media: camera, work: .clip(.matroska, EncoderSettings())),
        ]
    }

    private static func stills(_ rate: FrameRate) -> [BenchmarkSubject] {
        StillFormat.allCases.map { format in
            BenchmarkSubject(
                name: "\(format.rawValue.uppercased()) still 1920x1080", media: video(1920, 1080, .yuyv, rate),
                work: .still(format, StillParameters()))
        }
    }

    private static func video(
        _ width: Int, _ height: Int, _ pixelFormat: PixelFormat, _ rate: FrameRate
    ) -> ClipTrack.Media {
        let bytes = pixelFormat.isJPEG ? 0 : pixelFormat == .yuyv ? 2 * width : width
        return .video(
            VideoFormat(
                width: width, height: height, pixelFormat: pixelFormat, frameRate: rate, bytesPerLine: bytes))
    }
}
