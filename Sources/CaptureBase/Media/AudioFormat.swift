/// What a microphone delivers: interleaved frames of `channels` samples each.
///
/// *thread-safe*
public struct AudioFormat: Hashable, Sendable, Codable {
    /// Frames a second, in Hz.
    public let sampleRate: Int
    public let channels: Int
    public let sampleFormat: SampleFormat

    public init(sampleRate: Int, channels: Int, sampleFormat: SampleFormat) {
        self.sampleRate = sampleRate
        self.channels = channels
        self.sampleFormat = sampleFormat
    }

    public var bytesPerFrame: Int { channels * sampleFormat.bytesPerSample }
}
