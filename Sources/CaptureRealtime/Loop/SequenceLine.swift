/// Extends a driver's 32 bit sequence numbers, which may start anywhere and wrap.
///
/// *realtime-safe*
struct SequenceGaps: BitwiseCopyable {
    private var last: UInt32 = 0
    private var hasLast = false

    @_noLocks @_noAllocation
    init() {}

    /// - Returns: How many numbers are missing before this one. A number that repeats or goes back is the driver's error, or
    ///   its restart, and no loss.
    @_noLocks @_noAllocation
    mutating func missing(before sequence: UInt32) -> UInt64 {
        let step = sequence &- last
        let isFirst = !hasLast
        last = sequence
        hasLast = true
        guard !isFirst, step > 0, step < 0x8000_0000 else { return 0 }
        return UInt64(step) &- 1
    }

    /// The device starts again from any number.
    @_noLocks @_noAllocation
    mutating func restart() { hasLast = false }
}
