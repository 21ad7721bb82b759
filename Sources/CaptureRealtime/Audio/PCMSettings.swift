/// What a PCM is asked to do, or does.
///
/// *thread-safe*
public struct PCMSettings: BitwiseCopyable, Sendable, Hashable {
    /// Frames a second, Hz.
    public var rate: Int
    public var channels: Int
    public var format: PCMFormat
    /// Frames from wake-up to wake-up; 0 asks for 10 ms.
    public var periodFrames: Int
    /// Frames that the device holds before it overruns; 0 asks for 500 ms.
    public var bufferFrames: Int

    public init(
        rate: Int = 48_000, channels: Int = 2, format: PCMFormat = .s16, periodFrames: Int = 0, bufferFrames: Int = 0
    ) {
        self.rate = rate
        self.channels = channels
        self.format = format
        self.periodFrames = periodFrames
        self.bufferFrames = bufferFrames
    }

    public var bytesPerFrame: Int { channels * format.bytesPerSample }

    /// ns from period to period.
    public var periodNanoseconds: Int64 { SampleClock(rate: rate).nanoseconds(Int64(periodFrames)) }
}
