/// Decides when silence is a stall. It counts time that the loop really waited: a process or machine that was frozen for a
/// second has waited one slice, not a second.
///
/// *realtime-safe*
public struct Watchdog: BitwiseCopyable, Sendable {
    private let limit: Int64
    private var quiet: Int64 = 0
    private var allowed: Int64
    private var last: Int64
    /// Something came since anybody looked at the clock: units cost no call for the time.
    private var isFresh = false
    private var trouble: Int64 = 0
    private var idleTurns = 0
    private var hasRestarted = false

    /// An error state that brings neither data nor a result ends the loop after this time.
    static var troubleLimit: Int64 {
        @_noLocks @_noAllocation get { 150_000_000 }
    }

    /// - Parameters:
    ///   - period: From unit to unit in ns, 0 where it is not known.
    ///   - first: How long the first unit may take, ns.
    ///   - now: CLOCK_MONOTONIC in ns.
    @_noLocks @_noAllocation
    public init(period: Int64, first: Int64, now: Int64) {
        limit = period > 100_000_000 ? period &* 5 : 500_000_000
        allowed = first > limit ? first : limit
        last = now
    }

    /// How long to wait at most, ms: a quarter of what is left of patience with any device.
    public var slice: Int32 {
        @_noLocks @_noAllocation get { Int32(truncatingIfNeeded: limit / 4_000_000) }
    }

    /// Something came.
    @_noLocks @_noAllocation
    public mutating func fed() {
        quiet = 0
        trouble = 0
        idleTurns = 0
        hasRestarted = false
        allowed = limit
        isFresh = true
    }

    /// Nothing came.
    ///
    /// - Parameters:
    ///   - inTrouble: The device shows an error state.
    ///   - timedOut: The whole ``slice`` went by.
    @_noLocks @_noAllocation
    public mutating func starved(now: Int64, inTrouble: Bool, timedOut: Bool = false) {
        let waited = waited(now: now, timedOut: timedOut)
        quiet &+= waited
        trouble = inTrouble ? trouble &+ waited : 0
        idleTurns &+= 1
        isFresh = false
        last = now
    }

    @_noLocks @_noAllocation
    private func waited(now: Int64, timedOut: Bool) -> Int64 {
        let slice = limit / 4
        if isFresh { return timedOut ? slice : 0 }
        return now &- last < slice ? now &- last : slice
    }

    public var hasStalled: Bool {
        @_noLocks @_noAllocation get { quiet >= allowed }
    }

    public var isHopeless: Bool {
        @_noLocks @_noAllocation get { trouble >= Self.troubleLimit }
    }

    /// The descriptors call again and again for nothing: waiting for them would burn the processor. 0, or a pause in ms.
    public var pause: Int32 {
        @_noLocks @_noAllocation get { trouble > 0 ? 20 : idleTurns > 8 ? 10 : 0 }
    }

    /// Not a second time without anything in between.
    public var mayRestart: Bool {
        @_noLocks @_noAllocation get { !hasRestarted }
    }

    /// The device was started again: it gets the same time once more.
    @_noLocks @_noAllocation
    public mutating func restarted(now: Int64) {
        quiet = 0
        trouble = 0
        idleTurns = 0
        hasRestarted = true
        last = now
    }
}
