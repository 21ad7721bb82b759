/// A device's clock and what its stamps are off, from a seed.
struct SimulatedClock {
    /// How much faster than it should the device runs, parts per million.
    var ppm: Double
    /// The stamps are late by up to so much, seconds.
    var jitter = 0.0
    /// How many stamps in a row are late by the same: a busy machine delays several.
    var burst = 1
    private var state: UInt64
    private var late = 0.0
    private var left = 0

    init(ppm: Double, jitter: Double = 0, burst: Int = 1, seed: UInt64 = 1) {
        self.ppm = ppm
        self.jitter = jitter
        self.burst = burst
        state = seed
    }

    /// Duration of a number of frames, seconds.
    func seconds(_ frames: Double, rate: Double) -> Double { frames / (rate * (1 + ppm * 1e-6)) }

    /// What the next stamp is off, seconds.
    mutating func lateness() -> Double {
        if left == 0 {
            left = burst
            late = jitter * unit()
        }
        left -= 1
        return late
    }

    /// 0 to 1: SplitMix64.
    mutating func unit() -> Double {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return Double((value ^ (value >> 31)) >> 11) / 9_007_199_254_740_992
    }
}
