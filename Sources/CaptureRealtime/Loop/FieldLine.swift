/// Counts the fields of interlaced pictures that come one by one (V4L2_FIELD_ALTERNATE), top and bottom in turn.
///
/// V4L2's number is that of the picture, so both of its fields have the same one; there are drivers that number each
/// field. Which of both a driver does shows after a few.
///
/// *realtime-safe*
struct FieldGaps: BitwiseCopyable {
    /// Of the field that came last.
    private(set) var isBottom = false
    private var last: UInt32 = 0
    private var hasLast = false
    /// Two fields had one number.
    private var numbersPictures = false
    /// The first of the two.
    private var beginsWithBottom = false
    /// Fields in a row that had the next number, and none the same.
    private var steps = 0

    @_noLocks @_noAllocation
    init() {}

    /// - Parameter field: V4L2_FIELD_TOP or V4L2_FIELD_BOTTOM; of anything else, whose turn it is.
    /// - Returns: How many fields are missing before this one. A number that repeats or goes back is the driver's error, or
    ///   its restart, and no loss.
    @_noLocks @_noAllocation
    mutating func missing(before sequence: UInt32, field: UInt32) -> UInt64 {
        let (step, wasBottom, isFirst) = (sequence &- last, isBottom, !hasLast)
        // V4L2_FIELD_BOTTOM, V4L2_FIELD_TOP.
        isBottom = field == 3 || field != 2 && !wasBottom
        (last, hasLast) = (sequence, true)
        guard !isFirst, step < 0x8000_0000 else { return 0 }
        let turned = isBottom != wasBottom
        if step == 0, turned { learn(wasBottom) }
        if step == 1, turned { steps &+= 1 }
        guard step > 0 else { return 0 }
        return span(UInt64(step), turned) &- 1
    }

    @_noLocks @_noAllocation
    private mutating func learn(_ wasBottom: Bool) {
        numbersPictures = true
        beginsWithBottom = wasBottom
        steps = 0
    }

    /// From field to field.
    @_noLocks @_noAllocation
    private func span(_ step: UInt64, _ turned: Bool) -> UInt64 {
        if !numbersPictures, steps > 2 { return step }
        guard turned else { return 2 &* step }
        // Of a second field that follows a first one, not of its own picture, both between them are missing, too.
        let isSecond = numbersPictures && isBottom != beginsWithBottom
        return isSecond ? 2 &* step &+ 1 : 2 &* step &- 1
    }

    /// The device starts again from any number.
    @_noLocks @_noAllocation
    mutating func restart() { hasLast = false }
}
