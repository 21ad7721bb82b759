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
    /// When the clip begins, to the sample, nanoseconds since 1970; `nil` when the devices deliver.
    public var startsAt: Int64?
    /// How much from before the start belongs to the clip, and waits in memory until the start: at `startsAt`, else at
    /// ``RecordingControl/begin()``. `nil` begins at once.
    ///
    /// Sound waits as the device delivers it. Pictures wait as JPEG images where all that they go to keeps such images;
    /// where one output wants them raw, they wait raw. What is known to need more than 1 GiB is refused, and of JPEG images what
    /// is more is forgotten; `.started` says how much there was.
    public var preRoll: Duration?
    /// How long the clip becomes, to the frame, pre-roll included; `nil` until it is stopped.
    public var duration: Duration?
    /// Ends the clip, to the sample, where all its microphones are quiet; `nil` never. Without a microphone it does nothing.
    public var untilSilence: SilenceRule?
    /// What happens where frames are lost.
    public var onLoss = LossPolicy.fill
    /// How long to wait for a device that is unplugged, and go on with it; `nil` ends the clip. Where the clip is over before
    /// it comes back, what it missed is lost, and the clip is complete.
    public var reattach: Duration?
    /// Whose clock the clip's time follows.
    public var sync = SyncClock.automatic
    /// Small pictures of the first camera, told as `.preview`; `nil` none.
    public var preview: PreviewSettings?
    /// How often `.progress` is told; each costs two threads a wake-up.
    public var progressInterval = Duration.milliseconds(100)

    public init() {}

    var recordedAudio: AudioSettings {
        var settings = audio
        settings.period = settings.period ?? .milliseconds(100)
        return settings
    }
}
