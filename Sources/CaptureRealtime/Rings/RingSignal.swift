import Synchronization

/// Wake-up and outcome that both kinds of ring give their reader.
///
/// The signal stays raised from a wake-up or the end until the reader clears it.
///
/// *thread-safe*
struct RingCompletion: ~Copyable, Sendable {
    let signal: EventSignal
    private let threshold = WakeupThreshold()
    /// Outcome of the loop; 0 while it runs.
    private let packed = Atomic<UInt64>(0)

    init() throws(RealtimeFault) {
        signal = try EventSignal()
    }

    var result: LoopResult? { LoopResult(packed: packed.load(ordering: .acquiring)) }

    /// Wakes the reader after a commit, if it waits for this number of commits.
    @_noLocks @_noAllocation
    func woke(committed: UInt64) {
        if threshold.reached(by: committed) { signal.raise() }
    }

    /// Clears the signal and arms it for a number of commits. The reader must then check for entries once more.
    func clear(until committed: UInt64) {
        // A signal that was not raised is not cleared, to save a system call. A reader that returns without having read was woken
        // by a producer that had reached an earlier threshold.
        if threshold.isTaken || threshold.isAt(committed) || result != nil { signal.clear() }
        threshold.set(committed)
    }

    /// Ends the ring. Only the first outcome counts: an abandoned loop may still return, and its result is ignored.
    func end(_ result: LoopResult) {
        _ = packed.compareExchange(expected: 0, desired: result.packed, ordering: .releasing)
        signal.raise()
    }
}

/// Number of commits at which the reader wants to be woken.
///
/// Waking a reader costs a system call on each side and two context switches, so it is done once per sleep, not once per entry.
/// The producer wakes the reader when the threshold is reached, and removes the threshold. The reader sets it again, and only then
/// checks for entries once more. Each side writes one word and then reads the other's: without sequential consistency each could
/// miss the other's write.
///
/// *realtime-safe*
struct WakeupThreshold: ~Copyable, Sendable {
    private static var none: UInt64 {
        @_noLocks @_noAllocation get { .max }
    }

    private let cell = CachePadded()

    /// Removes the threshold if it is reached. For the producer, after a commit.
    ///
    /// - Returns: True if the reader must be woken.
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

    /// True if the producer has removed the threshold, and so has raised the signal or is about to.
    var isTaken: Bool { cell.value.load(ordering: .sequentiallyConsistent) == Self.none }

    func isAt(_ committed: UInt64) -> Bool { cell.value.load(ordering: .sequentiallyConsistent) == committed }

    /// Sets the threshold. For the reader, before its last check for entries.
    func set(_ committed: UInt64) {
        cell.value.store(committed, ordering: .sequentiallyConsistent)
    }
}

/// Atomic padded to 128 bytes: two cache lines, because processors fetch lines in pairs, and a neighbour that is written often
/// would slow this one down.
@usableFromInline
struct CachePadded: ~Copyable, Sendable {
    @usableFromInline let value = Atomic<UInt64>(0)
    private let padding = InlineArray<15, UInt64>(repeating: 0)
}
