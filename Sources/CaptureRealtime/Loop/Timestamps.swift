import CMedia
import CaptureBase

/// Makes a device's time stamps rise strictly. Drivers deliver stamps that go backward, lie in the future or are missing.
///
/// *realtime-safe*
struct MonotonicTimestamps: BitwiseCopyable {
    /// What came last, 0 before the first.
    private(set) var last: Int64 = 0
    /// Nothing that is captured can be older: set when the device starts.
    private var floor: Int64 = 0
    /// Stamps taken since one was compared with the clock.
    private var unchecked = 0

    @_noLocks @_noAllocation
    init() {}

    /// - Parameter now: CLOCK_MONOTONIC in ns. A timestamp up to a second older may still belong to what was under way.
    @_noLocks @_noAllocation
    mutating func start(now: Int64) {
        floor = now &- 1_000_000_000
    }

    /// The timestamp to use for a unit; one that had to be replaced is counted and flagged.
    ///
    /// - Parameter intervals: How many came since the one that was stamped last, this one and the lost ones among them.
    @_noLocks @_noAllocation
    mutating func take(
        _ own: Int64, interval: Int64, intervals: Int64, _ counters: RealtimeCounters, _ flags: inout FrameFlags
    ) -> Int64 {
        if follows(own, interval: interval) { return own }
        let (timestamp, wasRepaired) = next(own, now: cm_monotonic(), interval: interval, intervals: intervals)
        if wasRepaired {
            counters.repairedTimestamp()
            flags.add(FrameFlags.repairedTimestamp)
        }
        return timestamp
    }

    /// Takes a timestamp that is in step with the last one, without a look at the clock: that is a system call on some
    /// machines. A line that creeps into the future is found by the look that is due once in a while.
    ///
    /// - Parameters:
    ///   - timestamp: The device's own, 0 for none.
    ///   - interval: From unit to unit in ns, 0 where it is not known.
    /// - Returns: Whether it was taken; if not, ``next(_:now:interval:intervals:)`` decides.
    @_noLocks @_noAllocation
    mutating func follows(_ timestamp: Int64, interval: Int64) -> Bool {
        guard last != 0, timestamp > last, timestamp &- last <= interval &+ interval / 2, unchecked < 32 else {
            return false
        }
        unchecked &+= 1
        last = timestamp
        return true
    }

    /// - Parameters:
    ///   - timestamp: The device's own, 0 for none.
    ///   - now: CLOCK_MONOTONIC in ns.
    ///   - interval: From unit to unit in ns, 0 where it is not known.
    ///   - intervals: How many intervals lie between it and the last one.
    /// - Returns: The timestamp to use, and whether it was replaced.
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

    /// A timestamp that is wrong does not say that the unit came late: in a backlog the present would be too late for it, and the
    /// good stamps after it would seem to go backward. So it is in step with the last one, unless that leads too far astray.
    @_noLocks @_noAllocation
    private func replacement(now: Int64, after span: Int64) -> Int64 {
        let expected = last &+ span
        let isPossible = last != 0 && span > 0 && expected <= now && now &- expected < 1_000_000_000
        return later(isPossible ? expected : now)
    }

    @_noLocks @_noAllocation
    private func later(_ timestamp: Int64) -> Int64 {
        timestamp > last ? timestamp : last &+ 1
    }
}

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
