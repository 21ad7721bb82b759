/// When the built-in devices clap: at each whole second of CLOCK_MONOTONIC, which both their stamps are on, so that the flash
/// and the click have the same device time although neither knows of the other.
struct TestClap: BitwiseCopyable, Sendable {
    /// ns.
    static var interval: Int64 {
        @_noLocks @_noAllocation get { 1_000_000_000 }
    }

    /// Stamps are rounded, by some ns.
    private static var slack: Int64 {
        @_noLocks @_noAllocation get { 1000 }
    }

    /// Whether one is in the time that a picture stands for.
    ///
    /// - Parameters:
    ///   - timestamp: Of the picture, ns on CLOCK_MONOTONIC.
    ///   - frame: How long it stands, ns.
    @_noLocks @_noAllocation
    static func isIn(pictureAt timestamp: Int64, lasting frame: Int64) -> Bool {
        let end = timestamp &+ slack
        return end / interval != (end &- frame) / interval
    }

    /// How many samples a moment is behind the last clap, to the nearest.
    ///
    /// - Parameters:
    ///   - timestamp: ns on CLOCK_MONOTONIC.
    ///   - rate: Hz.
    @_noLocks @_noAllocation
    static func samples(since timestamp: Int64, rate: Int) -> Int {
        let samples = (timestamp % interval &* Int64(rate) &+ interval / 2) / interval
        return Int(truncatingIfNeeded: samples) % rate
    }

    /// How long the click is, in samples: 2 ms.
    @_noLocks @_noAllocation
    static func clickSamples(rate: Int) -> Int { rate / 500 }
}
