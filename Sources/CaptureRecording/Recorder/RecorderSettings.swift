import CaptureEncoding
import CaptureGate

/// Settings of a recording. By default the device or the format decides.
///
/// *thread-safe*
public struct RecorderSettings: Sendable {
    /// Settings of microphones. The default period is 100 ms: a file does not need audio earlier.
    public var audio = AudioSettings()
    /// Settings of single microphones, in place of ``audio``.
    public var audioOf: [DeviceID: AudioSettings] = [:]
    /// Settings of cameras.
    public var video = VideoSettings()
    /// Settings of single cameras, in place of ``video``.
    public var videoOf: [DeviceID: VideoSettings] = [:]
    /// Channels, gain, sample rate and mix of the clip's audio. Microphones are asked for the sample rate and the channels first,
    /// unless ``audio`` has others, and the rest is converted.
    public var conversion = AudioConversion()
    /// Conversions of single microphones, which replace ``conversion``. Only ``conversion`` decides whether all are mixed.
    public var conversionOf: [DeviceID: AudioConversion] = [:]
    public var encoders = EncoderSettings()
    /// Title and tags, for formats that store them.
    public var labels = ClipLabels()
    /// Titles of the chapters that ``RecordingControl/markChapter(_:)`` sets without one, in order; further ones are numbered.
    public var chapterTitles: [String] = []
    /// Start of the clip, to the sample, as the time since 1970; `nil` begins when the devices deliver.
    public var startsAt: Duration?
    /// Captured time before the start that belongs to the clip. It stays in memory until the start: at `startsAt`, or at
    /// ``RecordingControl/begin()``. `nil` starts at once.
    ///
    /// Audio waits as the device delivers it. Video waits as JPEG images if every output stores such images, otherwise raw. A
    /// pre-roll that is known to need more than 1 GiB is refused. JPEG images beyond that are discarded, and `.started` reports
    /// the length of the pre-roll.
    public var preRoll: Duration?
    /// Length of the clip, to the frame, pre-roll included; `nil` until it is stopped.
    public var duration: Duration?
    /// Rule that ends the clip, to the sample, after a silence of all its microphones; `nil` for never. It has no effect without a
    /// microphone.
    public var untilSilence: SilenceRule?
    /// Consequence of lost frames.
    public var onLoss = LossPolicy.fill
    /// Time to wait for an unplugged device to return; `nil` ends the clip. If the clip ends before the device returns, the
    /// frames up to its end are lost, and the clip is complete.
    public var reattach: Duration?
    /// Clock that the clip's time follows.
    public var sync = SyncClock.automatic
    /// Small images of the first camera, told as `.preview`; `nil` for none.
    public var preview: PreviewSettings?
    /// Interval of `.progress`; each costs two threads a wake-up.
    public var progressInterval = Duration.milliseconds(100)

    public init() {}

    /// Settings with which a microphone is opened.
    func recordedAudio(of id: DeviceID) -> AudioSettings {
        var settings = audioOf[id] ?? audio
        let conversion = conversionOf[id] ?? conversion
        settings.period = settings.period ?? .milliseconds(100)
        settings.channels = settings.channels ?? conversion.leastChannels
        // A strict device would be refused for a rate that can be converted.
        if !settings.isStrict { settings.sampleRate = settings.sampleRate ?? conversion.sampleRate }
        return settings
    }
}

/// Consequence of frames that are lost on the way to a recording.
///
/// *thread-safe*
public enum LossPolicy: String, Hashable, Sendable, Codable, CaseIterable {
    /// Silence replaces lost audio, and the next frame replaces lost video, so later frames keep their times. Losses are
    /// counted.
    case fill
    /// Like ``fill``, and each loss is reported at once and listed in the clip's ledger; in Matroska also as a chapter.
    case mark
    /// The clip ends before the first loss, valid, with `EndReason.loss`.
    case fail
}

/// Rule that ends a recording after silence.
///
/// *thread-safe*
public struct SilenceRule: Hashable, Sendable {
    /// Time for which the audio must have been under the level.
    public let duration: Duration
    /// dB of full scale, -120 to 0: the power of 20 ms of the loudest channel, as a full-scale square wave is 0.
    public let levelDBFS: Double

    /// - Parameters:
    ///   - duration: 20 ms and more, in steps of 20 ms.
    ///   - levelDBFS: -120 to 0; most people take audio under -50 for silence.
    public init(duration: Duration, levelDBFS: Double = -50) {
        self.duration = duration
        self.levelDBFS = levelDBFS
    }
}

/// Settings of the live preview: small images of a recording while it runs.
public struct PreviewSettings: Hashable, Sendable {
    /// Largest width, pixels; the image keeps its shape within width and height.
    public var width: Int
    /// Largest height, pixels.
    public var height: Int
    /// Time from one image to the next, at least.
    public var interval: Duration

    public init(width: Int, height: Int, interval: Duration = .milliseconds(100)) {
        self.width = width
        self.height = height
        self.interval = interval
    }
}
