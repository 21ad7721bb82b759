/// What a PCM is asked to do, or does.
///
/// *thread-safe*
public struct PCMSettings: BitwiseCopyable, Sendable, Hashable {
    /// Frames a second, Hz.
    public var rate: Int
    public var channels: Int
    public var format: PCMFormat
    /// Frames from wake-up to wake-up; 0 asks for ``periodTime``.
    public var periodFrames: Int
    /// What a period is asked to last where no frames are said, ns; 0 asks for 10 ms. How many frames that are is known
    /// once the device has its rate, which need not be the one asked for.
    public var periodTime: Int64
    /// Frames that the device holds before it overruns; 0 asks for 500 ms.
    public var bufferFrames: Int

    public init(
        rate: Int = 48_000, channels: Int = 2, format: PCMFormat = .s16, periodFrames: Int = 0, bufferFrames: Int = 0,
        periodTime: Int64 = 0
    ) {
        self.rate = rate
        self.channels = channels
        self.format = format
        self.periodFrames = periodFrames
        self.bufferFrames = bufferFrames
        self.periodTime = periodTime
    }

    /// Frames of the period that is asked for, 1 or more.
    ///
    /// - Parameter rate: that the device has taken, Hz.
    public func wantedPeriod(at rate: Int) -> Int {
        if periodFrames > 0 { return periodFrames }
        let wanted = SampleClock(rate: rate).frames(periodTime > 0 ? periodTime : 10_000_000)
        return max(1, Int(clamping: wanted))
    }

    public var bytesPerFrame: Int { channels * format.bytesPerSample }

    /// ns from period to period.
    public var periodNanoseconds: Int64 { SampleClock(rate: rate).nanoseconds(Int64(periodFrames)) }
}
