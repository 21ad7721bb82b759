/// When the pictures of ``TestBars`` are due: picture n exactly n / fps seconds after the start.
struct TestRate: BitwiseCopyable, Sendable {
    let numerator: Int64
    let denominator: Int64

    /// - Parameter numerator: Pictures in `denominator` seconds; below 1 or above 120 fps gives those.
    init(_ numerator: Int, _ denominator: Int) {
        let isTooFast = numerator > 120 * denominator
        let isTooSlow = numerator < denominator
        self.numerator = isTooFast ? 120 : isTooSlow ? 1 : Int64(numerator)
        self.denominator = isTooFast || isTooSlow ? 1 : Int64(denominator)
    }

    /// ns after the start, without leaving 64 bits in a year.
    @_noLocks @_noAllocation
    func due(_ number: UInt64) -> Int64 {
        let units = Int64(number) &* denominator
        return units / numerator &* 1_000_000_000 &+ units % numerator &* 1_000_000_000 / numerator
    }

    /// The first moment from one on at which a picture is due that a whole second of the clock would have started with.
    @_noLocks @_noAllocation
    func aligned(_ moment: Int64) -> Int64 {
        let past = moment % 1_000_000_000
        let units = 1_000_000_000 &* denominator
        let number = (past &* numerator &+ units &- 1) / units
        return moment &- past &+ due(UInt64(truncatingIfNeeded: number))
    }
}
