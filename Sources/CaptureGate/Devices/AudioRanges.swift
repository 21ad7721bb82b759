import CaptureBase

/// What a microphone can deliver, as libasound tells before anything is fixed.
///
/// *thread-safe*
public struct AudioRanges: Hashable, Sendable, Codable {
    /// Hz.
    public let sampleRates: ClosedRange<Int>
    public let channels: ClosedRange<Int>
    public let sampleFormats: [SampleFormat]

    public init(sampleRates: ClosedRange<Int>, channels: ClosedRange<Int>, sampleFormats: [SampleFormat]) {
        self.sampleRates = sampleRates
        self.channels = channels
        self.sampleFormats = sampleFormats
    }
}
