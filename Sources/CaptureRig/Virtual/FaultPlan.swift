/// Faults of a virtual device, each with its size: what a check must find.
///
/// Without any, the device is a good one. The same plan with the same seed makes the same frames.
///
/// *thread-safe*
public struct FaultPlan: Hashable, Sendable {
    /// Seed of the pseudorandom numbers that choose the frames that get a fault.
    public var seed: UInt64 = 1

    // What the device's clock and its ledger say.

    /// Share of frames, 0...1, that are made and not delivered; the sequence numbers show it.
    public var lost = 0.0
    /// Share of frames, 0...1, that are not made: the numbers continue as if nothing was missing.
    public var skipped = 0.0
    /// Speed of the device's clock, in millionths above the nominal one.
    public var clockError = 0.0
    /// Standard deviation of the timestamps.
    public var jitter = Duration.zero
    /// Delay of all timestamps, such as from a cable or a driver's buffer.
    public var delay = Duration.zero
    /// Time from the start to the first frame.
    public var startDelay = Duration.milliseconds(20)
    /// Share of frames, 0...1, whose timestamp the driver got wrong, so that it was repaired.
    public var repaired = 0.0
    /// Number of overruns of a microphone.
    public var overruns = 0
    /// Number of frames after which the device is gone; `nil` for never.
    public var goneAfter: Int?
    /// True for a camera with a different width than set, and for a microphone with one more channel.
    public var changesSettings = false

    // Contents of the image.

    /// Share of frames, 0...1, that repeat the one before.
    public var frozen = 0.0
    /// Share of frames, 0...1, that are black.
    public var black = 0.0
    /// Share of frames, 0...1, with a flipped bit.
    public var flipped = 0.0
    /// Width of the blur in pixels; 0 for a sharp image.
    public var blur = 0
    /// Time for which the brightness wanders after the start.
    public var exposureSettling = Duration.zero
    /// Amplitude of an endless oscillation of the brightness, 0...1.
    public var exposureHunting = 0.0
    /// Share of frames, 0...1, of which only the first half is delivered.
    public var cut = 0.0
    /// True for a scene without motion, such as a chart.
    public var standsStill = false
    /// Standard deviation of a sensor's noise in steps of brightness, nearly; another one in each frame.
    public var grain = 0
    /// Time after the start at which the privacy shutter closes; `nil` for never.
    public var shutterCloses: Duration?
    /// False for a shutter without a control that reports it.
    public var reportsShutter = true
    /// True for a shutter that does not cover the image.
    public var seesThroughShutter = false

    // Contents of the sound.

    /// Frequency of the tone on the first channel: a whole number of Hz.
    public var tone = 997.0
    /// True for the same tone on all channels. Otherwise the second channel has twice the frequency, the third one three
    /// times.
    public var isOneTone = true
    /// True for a click of 2 ms at each whole second of CLOCK_MONOTONIC, together with the flash of a camera. The tone is
    /// then 20 dB quieter.
    public var hasClaps = false
    /// Level at which the tone is clipped, 0...1 of its amplitude; 1 leaves it whole.
    public var clipping = 1.0
    /// Standard deviation of white noise, of full scale.
    public var noise = 0.0
    /// Constant part, of full scale.
    public var offset = 0.0
    /// Channels that are silent, from 0.
    public var muted: Set<Int> = []
    /// True if the first two channels are exchanged.
    public var swapsChannels = false
    /// Delay from playback to recording.
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
