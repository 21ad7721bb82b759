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
