import CMedia
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

/// At how many committed units the reader wants to be woken.
///
/// Waking a reader costs a system call on each side and two changes of threads, so it is done once a sleep and not once a
/// unit: the producer wakes when the threshold is reached and takes the threshold away; the reader sets it again, and only then
/// looks for units once more. Both write one word and then read the other's, which is why all is sequentially consistent.
///
/// *realtime-safe*
struct WakeupThreshold: ~Copyable, Sendable {
    private static var none: UInt64 {
        @_noLocks @_noAllocation get { .max }
    }

    private let cell = CachePadded()

    /// For the producer, after a commit.
    ///
    /// - Returns: Whether the reader is to be woken.
    @_noLocks @_noAllocation
    func reached(by committed: UInt64) -> Bool {
        var threshold = cell.value.load(ordering: .sequentiallyConsistent)
        while threshold <= committed {
            let (exchanged, original) = cell.value.compareExchange(
                expected: threshold, desired: Self.none, ordering: .sequentiallyConsistent)
            if exchanged { return true }
            // The reader moved it meanwhile.
            threshold = original
        }
        return false
    }

    /// Whether the producer has taken the threshold, and so raised the signal or is about to.
    var isTaken: Bool { cell.value.load(ordering: .sequentiallyConsistent) == Self.none }

    func isAt(_ committed: UInt64) -> Bool { cell.value.load(ordering: .sequentiallyConsistent) == committed }

    /// For the reader, before it looks for units a last time.
    func set(_ committed: UInt64) {
        cell.value.store(committed, ordering: .sequentiallyConsistent)
    }
}

/// An eventfd that says "look again". The corresponding C function is `eventfd`.
///
/// *thread-safe*
struct EventSignal: ~Copyable, Sendable {
    let descriptor: Int32

    init() throws(RealtimeFault) {
        descriptor = try checked(.eventDescriptor, cm_eventfd())
    }

    @_noLocks @_noAllocation
    func raise() {
        // A full counter is as good as a raised one.
        _ = cm_eventfd_write(descriptor)
    }

    @_noLocks @_noAllocation
    func clear() {
        _ = cm_eventfd_read(descriptor)
    }

    deinit {
        _ = cm_close(descriptor)
    }
}

/// An atomic alone in its 128 bytes: two cache lines, because processors fetch lines in pairs and a neighbour that is
/// written often would slow this one down.
@usableFromInline
struct CachePadded: ~Copyable, Sendable {
    @usableFromInline let value = Atomic<UInt64>(0)
    private let padding = InlineArray<15, UInt64>(repeating: 0)
}
