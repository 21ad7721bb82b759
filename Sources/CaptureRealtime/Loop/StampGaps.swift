/// Finds pictures that a driver dropped without a gap in its numbers: a hole of whole pictures between steady stamps.
///
/// A camera that exposes longer in the dark changes its rate, and loses nothing. So a hole counts once the pictures come as
/// they did before it; three in turn are another rate, and where every other interval is one, that is how the camera goes.
///
/// *realtime-safe*
struct TimestampGaps: BitwiseCopyable {
    /// From picture to picture lately, ns; 0 where it is not known.
    private var usual: Int64
    /// How steady it was: 0…4.
    private var calm = 0
    /// In holes of which it is not known yet whether they are any.
    private var missing: Int64 = 0
    private var holes = 0
    /// An interval that is not the usual one, and how often it came in turn.
    private var other: Int64 = 0
    private var others = 0

    /// - Parameter interval: From picture to picture in ns, 0 where it is not known.
    @_noLocks @_noAllocation
    init(interval: Int64) { usual = interval }

    /// What comes next does not follow on what came before.
    @_noLocks @_noAllocation
    mutating func restart() {
        calm = 0
        forget()
    }

    /// - Parameters:
    ///   - span: Since the stamp of the last picture, ns.
    ///   - intervals: How many pictures that is by the driver's numbers, 1 upwards.
    /// - Returns: How many are missing in the holes before it: known one picture late.
    @_noLocks @_noAllocation
    mutating func missing(after span: Int64, intervals: Int64) -> UInt64 {
        guard intervals > 0, span > 0 else { return 0 }
        let each = span / intervals
        if isNear(span, intervals) { return steady(each) }
        let whole = usual > 0 ? (span &+ usual / 2) / usual : 0
        if whole > intervals, isNear(span, whole), calm >= 2, holes < 2 {
            holes &+= 1
            missing &+= whole &- intervals
            calm &-= 2
        } else {
            calm = 0
            missing = 0
            holes = 0
        }
        learn(each)
        return 0
    }

    /// Within a quarter of an interval: jitter is less, and half a picture is no whole one.
    @_noLocks @_noAllocation
    private func isNear(_ span: Int64, _ intervals: Int64) -> Bool {
        let off = span &- intervals &* usual
        return usual > 0 && off <= usual / 4 && 0 &- off <= usual / 4
    }

    @_noLocks @_noAllocation
    private mutating func steady(_ each: Int64) -> UInt64 {
        let found = missing
        usual &+= (each &- usual) / 8
        if calm < 4 { calm &+= 1 }
        forget()
        return UInt64(truncatingIfNeeded: found)
    }

    @_noLocks @_noAllocation
    private mutating func learn(_ each: Int64) {
        let off = each &- other
        others = off <= other / 4 && 0 &- off <= other / 4 ? others &+ 1 : 1
        other = each
        guard others >= 3 else { return }
        usual = each
        forget()
    }

    @_noLocks @_noAllocation
    private mutating func forget() {
        missing = 0
        holes = 0
        others = 0
    }
}
