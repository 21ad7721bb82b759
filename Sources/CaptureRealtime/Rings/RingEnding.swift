import Synchronization

/// What both kinds of ring tell their reader beside the units: "look again", and how the loop ended.
///
/// The signal stays raised from a wake-up or the end until the reader clears it.
struct RingCompletion: ~Copyable, Sendable {
    let signal: EventSignal
    private let threshold = WakeupThreshold()
    private let packed = Atomic<UInt64>(0)

    init() throws(RealtimeFault) {
        signal = try EventSignal()
    }

    var result: LoopResult? { LoopResult(packed: packed.load(ordering: .acquiring)) }

    /// For the producer, after a commit.
    @_noLocks @_noAllocation
    func woke(committed: UInt64) {
        if threshold.reached(by: committed) { signal.raise() }
    }

    /// For the reader, which must look for units once more after it: the signal will be raised at that many.
    func clear(until committed: UInt64) {
        // Nothing to clear where nothing was raised: that would be a system call for nothing. A reader that comes back
        // without having read was called by a producer that had taken the threshold before this one was set.
        if threshold.isTaken || threshold.isAt(committed) || result != nil { signal.clear() }
        threshold.set(committed)
    }

    /// The first end stands: a loop that was given up may come back, and has no say any more.
    func end(_ result: LoopResult) {
        _ = packed.compareExchange(expected: 0, desired: result.packed, ordering: .releasing)
        signal.raise()
    }
}
