/// Between frames and nanoseconds at a sample rate, without leaving 64 bits in a day-long gap.
///
/// *realtime-safe*
public struct SampleClock: BitwiseCopyable, Sendable {
    /// Hz.
    public let rate: Int64

    @_noLocks @_noAllocation
    public init(rate: Int) {
        self.rate = Int64(rate)
    }

    /// How long so many frames last, ns, rounded down.
    @_noLocks @_noAllocation
    public func nanoseconds(_ frames: Int64) -> Int64 {
        frames / rate * 1_000_000_000 &+ frames % rate * 1_000_000_000 / rate
    }

    /// How many frames last so many ns: rounded to the nearest; at least 0.
    @_noLocks @_noAllocation
    public func frames(_ nanoseconds: Int64) -> UInt64 {
        guard nanoseconds > 0 else { return 0 }
        let part = (nanoseconds % 1_000_000_000 &* rate &+ 500_000_000) / 1_000_000_000
        return UInt64(nanoseconds / 1_000_000_000 &* rate &+ part)
    }
}

extension Duration {
    /// Whole nanoseconds, within some seventy years either way: sums of a few of them are numbers still.
    package var nanoseconds: Int64 {
        let most: Int64 = .max / 4
        let (seconds, attoseconds) = components
        let (whole, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        if isTooLong { return seconds < 0 ? -most : most }
        return min(max(whole, -most), most) + attoseconds / 1_000_000_000
    }
}
