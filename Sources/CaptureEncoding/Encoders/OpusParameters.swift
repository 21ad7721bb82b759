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
