/// Faults of a virtual device, each with its size: what a check must find.
///
/// Without any, the device is a good one. The same plan with the same seed makes the same frames.
///
/// *thread-safe*
public struct FaultPlan: Hashable, Sendable {
    /// Start of the pseudorandom numbers that say which frames are hit.
    public var seed: UInt64 = 1

    // What the device's clock and its ledger say.

    /// Share of frames, 0...1, that are made and not delivered; the sequence numbers tell.
    public var lost = 0.0
    /// Share of frames, 0...1, that are not made: the numbers run on as if nothing was missing.
    public var skipped = 0.0
    /// Speed of the device's clock, in millionths above the nominal one.
    public var clockError = 0.0
    /// Standard deviation of the timestamps.
    public var jitter = Duration.zero
    /// Time by which all timestamps are late: what a cable or a driver's buffer adds.
    public var delay = Duration.zero
    /// Time from the start to the first frame.
    public var startDelay = Duration.milliseconds(20)
    /// Share of frames, 0...1, whose timestamp the driver got wrong, so that it was repaired.
    public var repaired = 0.0
    /// Number of overruns of a microphone.
    public var overruns = 0
    /// Number of frames after which the device is gone; `nil` for never.
    public var goneAfter: Int?
    /// True for a camera that takes no picture as wide as it was set, and for a microphone that has a channel more.
    public var changesSettings = false

    // What the picture shows.

    /// Share of frames, 0...1, that repeat the one before.
    public var frozen = 0.0
    /// Share of frames, 0...1, that are black.
    public var black = 0.0
    /// Share of frames, 0...1, with a flipped bit.
    public var flipped = 0.0
    /// Number of pixels over which each is smeared; 0 for a sharp picture.
    public var blur = 0
    /// Time for which the brightness wanders after the start.
    public var exposureSettling = Duration.zero
    /// Share of the brightness, 0...1, by which it swings up and down without an end.
    public var exposureHunting = 0.0
    /// Share of frames, 0...1, of which only the first half is delivered.
    public var cut = 0.0
    /// True for a scene in which nothing moves, such as a chart.
    public var standsStill = false
    /// Standard deviation of a sensor's noise in steps of brightness, nearly; another one in each frame.
    public var grain = 0
    /// Time after the start at which the privacy shutter closes; `nil` for never.
    public var shutterCloses: Duration?
    /// False for a shutter without a control that tells of it.
    public var reportsShutter = true
    /// True for a shutter that lets the picture through.
    public var seesThroughShutter = false

    // What the sound is.

    /// Frequency of the tone on the first channel: a whole number of Hz.
    public var tone = 997.0
    /// True for the same tone on all channels; else the second one has it twice as high, the third one three times.
    public var isOneTone = true
    /// True for a click of 2 ms at each whole second of CLOCK_MONOTONIC, where a camera's picture has a flash. The tone is then
    /// softer by 20 dB.
    public var hasClaps = false
    /// Level at which the tone is clipped, 0...1 of its amplitude; 1 leaves it whole.
    public var clipping = 1.0
    /// Standard deviation of white noise, of full scale.
    public var noise = 0.0
    /// Constant part, of full scale.
    public var offset = 0.0
    /// Channels that are silent, from 0.
    public var muted: Set<Int> = []
    /// True where the first two channels are exchanged.
    public var swapsChannels = false
    /// Time from the playing of a sound to its recording.
    public var roundTrip = Duration.milliseconds(10)
    /// Error of the middle step of the gain, in dB.
    public var gainError = 0.0
    /// True for a switch that does not mute.
    public var ignoresMute = false
    /// True for a card without a gain and without a switch.
    public var hasNoGain = false

    /// A good device.
    public init() {}

    /// True while the shutter is closed.
    ///
    /// - Parameter since: time since the start, in ns.
    func isCovered(at since: Int64) -> Bool { shutterCloses.map { .nanoseconds(since) >= $0 } ?? false }
}
