/// Between frames of sound and nanoseconds, without leaving 64 bits.
struct SoundTime {
    /// Hz.
    let rate: Int

    /// To the nearest frame; 0 for what is negative.
    func frames(_ nanoseconds: Int64) -> UInt64 {
        let (high, low) = UInt64(max(0, nanoseconds)).multipliedFullWidth(by: UInt64(rate))
        let (whole, rest) = UInt64(1_000_000_000).dividingFullWidth((high, low))
        return whole + (rest >= 500_000_000 ? 1 : 0)
    }

    /// Rounded down.
    func nanoseconds(_ frames: UInt64) -> Int64 {
        let (high, low) = frames.multipliedFullWidth(by: 1_000_000_000)
        return Int64(UInt64(rate).dividingFullWidth((high, low)).quotient)
    }
}
