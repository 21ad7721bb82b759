import Glibc

/// Extent of a property that must hold for every seed or for hours: a part by default, all with `CAPTUREGATE_LONG`.
enum Extent {
    private static let isLong = getenv("CAPTUREGATE_LONG") != nil

    /// Ten seeds, or fifty.
    static var seeds: ClosedRange<UInt64> { 1...(isLong ? 50 : 10) }
    /// Minutes of a soak: one hour, or eight. The step `soak` always takes eight, in a release build.
    static var soak: Int { isLong ? 480 : 60 }
}

/// Random numbers of a seed, the same in every run: SplitMix64.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// Spreads seeds that follow one another. The factor is not that of the steps: the numbers of seed 2 would be those of
    /// seed 1 without the first one.
    init(_ seed: Int) { self.init(seed: UInt64(truncatingIfNeeded: seed) &* 0xD1B5_4A32_D192_ED03) }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }

    /// 0 to 1.
    mutating func unit() -> Double { Double(next() >> 11) / 9_007_199_254_740_992 }

    /// A uniform number from −1 to 1.
    mutating func number() -> Double { Double(Int64(bitPattern: next()) >> 11) / Double(1 << 52) }

    /// Normally distributed, with a mean of 0 and a standard deviation of 1: twelve uniform ones have a variance of 1.
    mutating func normal() -> Double {
        var sum = -6 * 65_536 + 6
        for _ in 0..<3 {
            let bits = next()
            sum += Int(bits & 0xFFFF) + Int(bits >> 16 & 0xFFFF) + Int(bits >> 32 & 0xFFFF) + Int(bits >> 48)
        }
        return Double(sum) / 65_536
    }
}
