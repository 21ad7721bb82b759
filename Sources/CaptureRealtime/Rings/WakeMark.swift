import Synchronization

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
