import CaptureBase

/// Frame accounting of one video loop: position, losses and timestamps of its frames.
///
/// *realtime-safe*
@usableFromInline
struct VideoAccounting: BitwiseCopyable, Sendable {
    private let interval: Int64
    /// Minimum bytes of each plane of a complete frame.
    private let least: FramePlanes
    private let planes: Int
    private let counters: RealtimeCounters
    /// Number of the next frame since the start, lost and damaged ones included.
    private var position: UInt64 = 0
    /// Running totals: the reader forms the differences, so a stolen frame can't hide what was lost before it.
    private var totals = Loss()
    private var sequences = SequenceGaps()
    private var fields = FieldGaps()
    private let isAlternating: Bool
    private var timestamps = MonotonicTimestamps()
    private var gaps: TimestampGaps
    /// Flags of every frame while the state of the signal lasts.
    private var standing = FrameFlags(rawValue: 0)
    private var flags = FrameFlags(rawValue: 0)
    /// True from a restart to the next frame, whose timestamp shows how much is missing.
    private var wasRestarted = false
    /// Position of the last frame that got a timestamp.
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

    /// Sets the oldest timestamp to accept. Call it before the device is started.
    @usableFromInline @_noLocks @_noAllocation
    mutating func start() {
        timestamps.start(now: MonotonicClock.now)
    }

    /// Adds a change of the signal's state to the flags of later frames.
    @usableFromInline @_noLocks @_noAllocation
    mutating func note(_ state: SignalState) {
        standing = state.flag
        counters.note(state)
    }

    /// Takes a filled buffer.
    ///
    /// - Returns: True if it holds a whole frame; otherwise it is counted as damaged.
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

    /// The driver's own flag comes first: the bytes of a broken frame mean nothing.
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

    /// Makes the header of a whole frame and moves on to the next position.
    @usableFromInline @_noLocks @_noAllocation
    mutating func header(_ buffer: DequeuedBuffer) -> FrameHeader {
        let previous = timestamps.last
        // Lost and damaged frames have no timestamp; an absurd sequence number is limited.
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

    /// Counts the frames missing at a restart. The driver's sequence started again, so only the clock shows their number. Frames
    /// that were counted before and after the restart are subtracted.
    @_noLocks @_noAllocation
    private mutating func measureRestart(from previous: Int64, to timestamp: Int64) {
        wasRestarted = false
        gaps.restart()
        guard previous != 0, interval > 0 else { return }
        let steps = (timestamp &- previous &+ interval / 2) / interval
        let missing = steps &- Int64(truncatingIfNeeded: position &- timestampedPosition)
        if missing > 0 { lost(UInt64(missing)) }
    }

    /// Counts frames that the driver dropped without a gap in its sequence. The timestamps show them, if they are the driver's
    /// own.
    @_noLocks @_noAllocation
    private mutating func measureGap(from previous: Int64, to timestamp: Int64, _ intervals: Int64) {
        if previous == 0 || flags.holds(FrameFlags.repairedTimestamp) {
            gaps.restart()
        } else {
            lost(gaps.missing(after: timestamp &- previous, intervals: intervals))
        }
    }

    /// Counts a frame that the ring has taken. Its flags are delivered with it.
    @usableFromInline @_noLocks @_noAllocation
    mutating func committed(_ header: FrameHeader) {
        counters.committed(header)
        flags = FrameFlags(rawValue: 0)
    }

    /// Counts a frame that is dropped for lack of buffers: the reader holds all that the device can spare.
    @usableFromInline @_noLocks @_noAllocation
    mutating func dropped() {
        totals.ring &+= 1
        counters.lostInRing(1)
    }

    /// Notes a restart: sequence numbers start again.
    @usableFromInline @_noLocks @_noAllocation
    mutating func restarted() {
        sequences.restart()
        fields.restart()
        wasRestarted = true
        flags.add(FrameFlags.restarted)
    }
}

/// Gaps in a driver's 32 bit sequence numbers, which may start anywhere and wrap.
///
/// *realtime-safe*
struct SequenceGaps: BitwiseCopyable {
    private var last: UInt32 = 0
    private var hasLast = false

    @_noLocks @_noAllocation
    init() {}

    /// Counts the numbers that are missing before this one.
    ///
    /// - Returns: The number of missing ones. A number that repeats or goes back is the driver's error, or its restart,
    ///   and no loss.
    @_noLocks @_noAllocation
    mutating func missing(before sequence: UInt32) -> UInt64 {
        let step = sequence &- last
        let isFirst = !hasLast
        last = sequence
        hasLast = true
        guard !isFirst, step > 0, step < 0x8000_0000 else { return 0 }
        return UInt64(step) &- 1
    }

    /// Forgets the last number: the device starts again from any.
    @_noLocks @_noAllocation
    mutating func restart() { hasLast = false }
}

/// Sequence numbers of interlaced video that comes field by field (V4L2_FIELD_ALTERNATE), top and bottom in turn.
///
/// V4L2 numbers frames, so both fields of one have the same number; some drivers number the fields. A few fields show which of the
/// two a driver does.
///
/// *realtime-safe*
struct FieldGaps: BitwiseCopyable {
    /// True if the last field was a bottom field.
    private(set) var isBottom = false
    private var last: UInt32 = 0
    private var hasLast = false
    /// True once two fields had the same number: the driver numbers frames.
    private var numbersPictures = false
    /// True if a frame's first field is its bottom one.
    private var beginsWithBottom = false
    /// Fields in a row with consecutive numbers, none of them repeated.
    private var steps = 0

    @_noLocks @_noAllocation
    init() {}

    /// Counts the fields that are missing before this one.
    ///
    /// - Parameters:
    ///   - sequence: The driver's number.
    ///   - field: V4L2_FIELD_TOP or V4L2_FIELD_BOTTOM; for any other value the fields take turns.
    /// - Returns: The number of missing fields. A number that repeats or goes back is the driver's error, or its
    ///   restart, and no loss.
    @_noLocks @_noAllocation
    mutating func missing(before sequence: UInt32, field: UInt32) -> UInt64 {
        let (step, wasBottom, isFirst) = (sequence &- last, isBottom, !hasLast)
        // V4L2_FIELD_BOTTOM is 3, V4L2_FIELD_TOP is 2.
        isBottom = field == 3 || field != 2 && !wasBottom
        (last, hasLast) = (sequence, true)
        guard !isFirst, step < 0x8000_0000 else { return 0 }
        let turned = isBottom != wasBottom
        if step == 0, turned { learn(wasBottom) }
        if step == 1, turned { steps &+= 1 }
        guard step > 0 else { return 0 }
        return span(UInt64(step), turned) &- 1
    }

    /// Two fields of one number: the driver numbers frames, and the first of the two begins them.
    @_noLocks @_noAllocation
    private mutating func learn(_ wasBottom: Bool) {
        numbersPictures = true
        beginsWithBottom = wasBottom
        steps = 0
    }

    /// Distance from the last field to this one, in fields.
    @_noLocks @_noAllocation
    private func span(_ step: UInt64, _ turned: Bool) -> UInt64 {
        if !numbersPictures, steps > 2 { return step }
        guard turned else { return 2 &* step }
        // Between a first field and a second one of a later frame, both of the frame's own fields are missing, too.
        let isSecond = numbersPictures && isBottom != beginsWithBottom
        return isSecond ? 2 &* step &+ 1 : 2 &* step &- 1
    }

    /// Forgets the last number: the device starts again from any.
    @_noLocks @_noAllocation
    mutating func restart() { hasLast = false }
}
