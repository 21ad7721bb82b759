import CaptureGate

/// How a recording is made; what is not said is the device's choice, or the format's.
///
/// *thread-safe*
public struct RecorderSettings: Sendable {
    /// What is wanted of microphones. Where no period is said it is 100 ms: a file has no use for sound any sooner.
    public var audio = AudioSettings()
    /// What is wanted of cameras.
    public var video = VideoSettings()
    public var encoders = EncoderSettings()
    /// Title and tags, where the format has room for them.
    public var labels = ClipLabels()
    /// How long the clip becomes, to the frame; `nil` until it is stopped.
    public var duration: Duration?
    /// Ends the clip, to the sample, where all its microphones are quiet; `nil` never. Without a microphone it does nothing.
    public var untilSilence: SilenceRule?
    /// How long to wait for a device that is unplugged, and go on with it; `nil` ends the clip.
    public var reattach: Duration?
    /// Whose clock the clip's time follows.
    public var sync = SyncClock.automatic
    /// How often `.progress` is told; each costs two threads a wake-up.
    public var progressInterval = Duration.milliseconds(100)

    public init() {}

    var recordedAudio: AudioSettings {
        var settings = audio
        settings.period = settings.period ?? .milliseconds(100)
        return settings
    }
}
