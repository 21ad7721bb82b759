import CMedia
import CaptureBase

/// The books of one video loop: position, loss and time timestamps.
///
/// *realtime-safe*
@usableFromInline
struct VideoAccounting: BitwiseCopyable, Sendable {
    private let interval: Int64
    private let least: FramePlanes
    private let planes: Int
    private let counters: RealtimeCounters
    private var position: UInt64 = 0
    private var totals = Loss()
    private var sequences = SequenceGaps()
    private var fields = FieldGaps()
    private let isAlternating: Bool
    private var timestamps = MonotonicTimestamps()
    private var gaps: TimestampGaps
    /// Of each picture, as long as the signal is as it is.
    private var standing = FrameFlags(rawValue: 0)
    private var flags = FrameFlags(rawValue: 0)
    private var wasRestarted = false
    /// The position of the picture that was timestampedPosition last.
    private var timestampedPosition: UInt64 = 0

    @usableFromInline
    init(_ format: CameraFormat, _ counters: RealtimeCounters) {
        interval = format.bufferNanoseconds
        gaps = TimestampGaps(interval: format.bufferNanoseconds)
        isAlternating = format.isAlternating
        planes = format.planes
        var least = FramePlanes()
        for plane in 0..<format.planes { least.set(plane, offset: 0, byteCount: format.leastBytes(plane: plane)) }
        self.least = least
        self.counters = counters
    }

    @usableFromInline @_noLocks @_noAllocation
    mutating func start() {
        timestamps.start(now: cm_monotonic())
    }

    /// The source said something of its signal.
    @usableFromInline @_noLocks @_noAllocation
    mutating func note(_ state: SignalState) {
        standing = state.flag
        counters.note(state)
    }

    /// A filled buffer came.
    ///
    /// - Returns: Whether it is a whole picture. Else it is counted.
    @usableFromInline @_noLocks @_noAllocation
    mutating func arrived(_ buffer: DequeuedBuffer) -> Bool {
        lost(missing(before: buffer))
        guard let damage = damage(of: buffer) else { return true }
        counters.sawDamage(damage)
        totals.damaged &+= 1
        position &+= 1
        return false
    }

    @_noLocks @_noAllocation
    private mutating func missing(before buffer: DequeuedBuffer) -> UInt64 {
        isAlternating
            ? fields.missing(before: buffer.sequence, field: buffer.field)
            : sequences.missing(before: buffer.sequence)
    }

    @_noLocks @_noAllocation
    private func damage(of buffer: DequeuedBuffer) -> Damage? {
        if buffer.isFlagged { return .flagged }
        if buffer.planes.byteCount(0) <= 0 { return .empty }
        for plane in 0..<planes where buffer.planes.byteCount(plane) < least.byteCount(plane) { return .short }
        return nil
    }

    @_noLocks @_noAllocation
    private mutating func lost(_ frames: UInt64) {
        guard frames > 0 else { return }
        position &+= frames
        totals.device &+= frames
        counters.lostByDevice(frames)
        flags.add(FrameFlags.gap)
    }

    /// The header of a whole picture.
    @usableFromInline @_noLocks @_noAllocation
    mutating func header(_ buffer: DequeuedBuffer) -> FrameHeader {
        let previous = timestamps.last
        // What is lost or damaged has no timestamp; an absurd sequence is as good as none.
        let intervals = Int64(truncatingIfNeeded: min(position &- timestampedPosition, 1 << 20))
        let timestamp = timestamps.take(buffer.beginning, interval: interval, intervals: intervals, counters, &flags)
        if wasRestarted {
            measureRestart(from: previous, to: timestamp)
        } else {
            measureGap(from: previous, to: timestamp, intervals)
        }
        var all = flags
        all.add(standing)
        var header = FrameHeader(
            sequence: position, timestamp: timestamp, byteCount: buffer.planes.total, frameCount: 1, flags: all,
            lost: totals)
        if isAlternating, fields.isBottom { header.flags.add(FrameFlags.bottomField) }
        timestampedPosition = position
        position &+= 1
        return header
    }

    /// The sequence began anew, so what is missing is known by the clock alone, but for what was counted on both sides of
    /// the restart.
    @_noLocks @_noAllocation
    private mutating func measureRestart(from previous: Int64, to timestamp: Int64) {
        wasRestarted = false
        gaps.restart()
        guard previous != 0, interval > 0 else { return }
        let steps = (timestamp &- previous &+ interval / 2) / interval
        let missing = steps &- Int64(truncatingIfNeeded: position &- timestampedPosition)
        if missing > 0 { lost(UInt64(missing)) }
    }

    /// What the driver dropped without a gap in its numbers is known by the timestamps, where they are its own.
    @_noLocks @_noAllocation
    private mutating func measureGap(from previous: Int64, to timestamp: Int64, _ intervals: Int64) {
        if previous == 0 || flags.holds(FrameFlags.repairedTimestamp) {
            gaps.restart()
        } else {
            lost(gaps.missing(after: timestamp &- previous, intervals: intervals))
        }
    }

    @usableFromInline @_noLocks @_noAllocation
    mutating func committed(_ header: FrameHeader) {
        counters.committed(header)
        flags = FrameFlags(rawValue: 0)
    }

    /// The reader holds all that the device does not need.
    @usableFromInline @_noLocks @_noAllocation
    mutating func dropped() {
        totals.ring &+= 1
        counters.lostInRing(1)
    }

    @usableFromInline @_noLocks @_noAllocation
    mutating func restarted() {
        sequences.restart()
        fields.restart()
        wasRestarted = true
        flags.add(FrameFlags.restarted)
    }
}

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
