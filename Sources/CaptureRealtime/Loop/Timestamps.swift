import CaptureBase

/// Strictly rising timestamps, made from a device's timestamps, which may go backward, be in the future or be missing.
///
/// *realtime-safe*
struct MonotonicTimestamps: BitwiseCopyable {
    /// Last timestamp given out, 0 before the first.
    private(set) var last: Int64 = 0
    /// Oldest timestamp to accept: nothing is captured before the device starts.
    private var floor: Int64 = 0
    /// Timestamps taken since one was compared with the clock.
    private var unchecked = 0

    @_noLocks @_noAllocation
    init() {}

    /// Sets the oldest timestamp to accept.
    ///
    /// - Parameter now: CLOCK_MONOTONIC in ns. A timestamp up to a second older may still belong to a buffer under way.
    @_noLocks @_noAllocation
    mutating func start(now: Int64) {
        floor = now &- 1_000_000_000
    }

    /// Timestamp to use for an entry; a replaced one is counted and flagged.
    ///
    /// - Parameters:
    ///   - own: The device's timestamp, 0 for none.
    ///   - interval: Time from entry to entry in ns, 0 if it is not known.
    ///   - intervals: Intervals since the last entry that got a timestamp: this one, and those lost in between.
    ///   - counters: Count a replaced timestamp.
    ///   - flags: Flag a replaced timestamp.
    @_noLocks @_noAllocation
    mutating func take(
        _ own: Int64, interval: Int64, intervals: Int64, _ counters: RealtimeCounters, _ flags: inout FrameFlags
    ) -> Int64 {
        if follows(own, interval: interval) { return own }
        let (timestamp, wasRepaired) = next(own, now: MonotonicClock.now, interval: interval, intervals: intervals)
        if wasRepaired {
            counters.repairedTimestamp()
            flags.add(FrameFlags.repairedTimestamp)
        }
        return timestamp
    }

    /// Accepts a timestamp that continues the last ones, without reading the clock, which is a system call on some machines. Every
    /// 32 entries a timestamp is compared with the clock, so a device that drifts into the future is found.
    ///
    /// - Parameters:
    ///   - timestamp: The device's timestamp, 0 for none.
    ///   - interval: Time from entry to entry in ns, 0 if it is not known.
    /// - Returns: True if it was accepted; otherwise ``next(_:now:interval:intervals:)`` decides.
    @_noLocks @_noAllocation
    mutating func follows(_ timestamp: Int64, interval: Int64) -> Bool {
        guard last != 0, timestamp > last, timestamp &- last <= interval &+ interval / 2, unchecked < 32 else {
            return false
        }
        unchecked &+= 1
        last = timestamp
        return true
    }

    /// Compares a timestamp with the clock.
    ///
    /// - Parameters:
    ///   - timestamp: The device's own, 0 for none.
    ///   - now: CLOCK_MONOTONIC in ns.
    ///   - interval: Time from entry to entry in ns, 0 if it is not known.
    ///   - intervals: Number of intervals between it and the last one.
    /// - Returns: The timestamp to use, and true if it replaces the device's own.
    @_noLocks @_noAllocation
    mutating func next(
        _ timestamp: Int64, now: Int64, interval: Int64, intervals: Int64 = 1
    ) -> (timestamp: Int64, wasRepaired: Bool) {
        unchecked = 0
        // A driver that interpolates may be ahead by a fraction of an interval.
        let isSane = timestamp > last && timestamp >= floor && timestamp != 0 && timestamp <= now &+ interval
        guard !isSane else {
            last = timestamp
            return (timestamp, false)
        }
        last = timestamp == 0 ? later(now) : replacement(now: now, after: interval &* intervals)
        return (last, true)
    }

    /// Replaces a wrong timestamp by the expected one, unless that is too far from the current time. A wrong timestamp does not
    /// mean that the entry was late: in a backlog the current time would be too late for it, and the correct timestamps after it
    /// would seem to go backward.
    @_noLocks @_noAllocation
    private func replacement(now: Int64, after span: Int64) -> Int64 {
        let expected = last &+ span
        let isPossible = last != 0 && span > 0 && expected <= now && now &- expected < 1_000_000_000
        return later(isPossible ? expected : now)
    }

    /// The timestamp itself, or the last one plus 1 ns: readers may rely on strictly rising ones.
    @_noLocks @_noAllocation
    private func later(_ timestamp: Int64) -> Int64 {
        timestamp > last ? timestamp : last &+ 1
    }
}

/// Detects frames that a driver dropped without a gap in its sequence numbers, by gaps of whole intervals between steady
/// timestamps.
///
/// A camera that exposes longer in the dark changes its rate, and loses nothing. So a gap counts only once the previous interval
/// returns. Three equal intervals in a row are a new rate. If every other interval is a gap, it is the camera's normal rhythm.
///
/// *realtime-safe*
struct TimestampGaps: BitwiseCopyable {
    /// Recent interval from frame to frame, ns; 0 if it is not known.
    private var usual: Int64
    /// Steadiness of the interval, 0…4. A gap subtracts two, so that several gaps in quick succession are ignored.
    private var calm = 0
    /// Frames in gaps that are not confirmed yet.
    private var missing: Int64 = 0
    /// Number of gaps that are not confirmed yet, at most two.
    private var holes = 0
    /// Last unusual interval, and the number of its repetitions.
    private var other: Int64 = 0
    private var others = 0

    /// - Parameter interval: Nominal interval from frame to frame in ns, 0 if it is not known.
    @_noLocks @_noAllocation
    init(interval: Int64) { usual = interval }

    /// Starts again: the next timestamp does not continue the last ones.
    @_noLocks @_noAllocation
    mutating func restart() {
        calm = 0
        forget()
    }

    /// Takes the interval before a frame.
    ///
    /// - Parameters:
    ///   - span: Time since the last frame's timestamp, ns.
    ///   - intervals: Number of frames that this is by the driver's sequence, 1 or more.
    /// - Returns: Number of frames missing in the gaps before it, which are known one frame late.
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

    /// True within a quarter of an interval: jitter is smaller, and half a frame is not a whole one.
    @_noLocks @_noAllocation
    private func isNear(_ span: Int64, _ intervals: Int64) -> Bool {
        let off = span &- intervals &* usual
        return usual > 0 && off <= usual / 4 && 0 &- off <= usual / 4
    }

    /// Follows the rate slowly, by an eighth, and confirms the open gaps.
    @_noLocks @_noAllocation
    private mutating func steady(_ each: Int64) -> UInt64 {
        let found = missing
        usual &+= (each &- usual) / 8
        if calm < 4 { calm &+= 1 }
        forget()
        return UInt64(truncatingIfNeeded: found)
    }

    /// Accepts the third equal interval in a row as the new rate.
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
