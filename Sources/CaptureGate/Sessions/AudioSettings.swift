import CaptureBase

/// What a program would like of a microphone; what it does not say is the device's choice.
///
/// *thread-safe*
public struct AudioSettings: Hashable, Sendable {
    /// Hz; 48000 where not said.
    public var sampleRate: Int?
    /// 2 where not said and the device can.
    public var channels: Int?
    /// `.s16` where not said and the device can.
    public var sampleFormat: SampleFormat?
    /// From one piece of sound to the next, 1 ms to 1 s: short to hear soon, long to wake up seldom. 10 ms where not
    /// said; the device takes what comes nearest, in a strict capture too.
    public var period: Duration?
    /// Refuse to open where the device would do anything else than what is said.
    public var isStrict: Bool
    /// Of the built-in tone: whether each whole second of CLOCK_MONOTONIC begins with a click, for which the built-in picture
    /// flashes; no other microphone does so.
    public var claps = false

    public init(
        sampleRate: Int? = nil, channels: Int? = nil, sampleFormat: SampleFormat? = nil, period: Duration? = nil,
        isStrict: Bool = false
    ) {
        self.sampleRate = sampleRate
        self.channels = channels
        self.sampleFormat = sampleFormat
        self.period = period
        self.isStrict = isStrict
    }

    /// What of this the device does otherwise, a sentence each.
    func differences(from format: AudioFormat) -> [String] {
        var differences: [String] = []
        if let sampleRate, sampleRate != format.sampleRate {
            differences.append("sample rate \(sampleRate) Hz asked, \(format.sampleRate) Hz got")
        }
        if let channels, channels != format.channels {
            differences.append("\(channels) channels asked, \(format.channels) got")
        }
        if let sampleFormat, sampleFormat != format.sampleFormat {
            differences.append("\(sampleFormat.rawValue) asked, \(format.sampleFormat.rawValue) got")
        }
        return differences
    }
}
