/// Numbers that look random and are the same in every run (xorshift64*).
struct Noise {
    private var state: UInt64

    init(seed: UInt64) { state = seed | 1 }

    mutating func next() -> UInt64 {
        state ^= state >> 12
        state ^= state << 25
        state ^= state >> 27
        return state &* 2_685_821_657_736_338_717
    }

    /// 0 up to, but not with, the bound.
    mutating func next(below bound: Int) -> Int { Int(truncatingIfNeeded: next() >> 33) % max(bound, 1) }

    /// Around 0, as a sensor's: the sum of four evenly spread numbers, of a standard deviation of about `spread` / 2.
    mutating func grain(_ spread: Int) -> Int {
        let bits = next()
        let sum = (0..<4).reduce(0) { $0 + Int(truncatingIfNeeded: bits >> (UInt64($1) * 16) & 0xFFFF) }
        return ((sum - 131_070) * spread + (1 << 15)) >> 16
    }
}
