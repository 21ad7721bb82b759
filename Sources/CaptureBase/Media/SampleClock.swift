/// Conversion between frames and nanoseconds at a sample rate. Seconds and the rest are converted apart, so that a gap
/// of days does not overflow 64 bits.
///
/// *realtime-safe*
package struct SampleClock: BitwiseCopyable, Sendable {
    /// Sample rate in Hz.
    package let rate: Int64

    @_noLocks @_noAllocation
    package init(rate: Int) {
        self.rate = Int64(rate)
    }

    /// Duration of `frames` frames in ns, rounded down.
    @_noLocks @_noAllocation
    package func nanoseconds(_ frames: Int64) -> Int64 {
        frames / rate * 1_000_000_000 &+ frames % rate * 1_000_000_000 / rate
    }

    /// Number of frames that last `nanoseconds` ns, rounded to the nearest; 0 for a negative duration.
    @_noLocks @_noAllocation
    package func frames(_ nanoseconds: Int64) -> UInt64 {
        guard nanoseconds > 0 else { return 0 }
        let part = (nanoseconds % 1_000_000_000 &* rate &+ 500_000_000) / 1_000_000_000
        return UInt64(nanoseconds / 1_000_000_000 &* rate &+ part)
    }
}

extension Duration {
    /// Whole nanoseconds, limited to some seventy years either way: a sum of a few durations still fits 64 bits.
    package var nanoseconds: Int64 {
        let most: Int64 = .max / 4
        let (seconds, attoseconds) = components
        let (whole, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        if isTooLong { return seconds < 0 ? -most : most }
        return min(max(whole, -most), most) + attoseconds / 1_000_000_000
    }

    /// Whole nanoseconds, limited only by 64 bits, so that converting a number to `Duration` and back preserves it: for printed
    /// and stored values, and for moments since 1970, which exceed the limit of `nanoseconds` from 2043 on. A sum of two may not
    /// fit.
    package var exactNanoseconds: Int64 { Int64(clamping: attoseconds / 1_000_000_000) }
}
