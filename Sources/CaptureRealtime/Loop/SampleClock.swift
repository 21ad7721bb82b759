/// Between frames and nanoseconds at a sample rate, without leaving 64 bits in a day-long gap.
///
/// *realtime-safe*
struct SampleClock: BitwiseCopyable {
    /// Hz.
    let rate: Int64

    @_noLocks @_noAllocation
    init(rate: Int) {
        self.rate = Int64(rate)
    }

    @_noLocks @_noAllocation
    func nanoseconds(_ frames: Int64) -> Int64 {
        frames / rate * 1_000_000_000 &+ frames % rate * 1_000_000_000 / rate
    }

    /// Rounded to the nearest frame; at least 0.
    @_noLocks @_noAllocation
    func frames(_ nanoseconds: Int64) -> UInt64 {
        guard nanoseconds > 0 else { return 0 }
        let part = (nanoseconds % 1_000_000_000 &* rate &+ 500_000_000) / 1_000_000_000
        return UInt64(nanoseconds / 1_000_000_000 &* rate &+ part)
    }
}
