import Synchronization

/// At how many committed units the reader wants to be woken.
///
/// Waking a reader costs a system call on each side and two changes of threads, so it is done once a sleep and not once a
/// unit: the producer wakes when the mark is reached and takes the mark away; the reader sets it again, and only then
/// looks for units once more. Both write one word and then read the other's, which is why all is sequentially consistent.
///
/// *realtime-safe*
struct WakeMark: ~Copyable, Sendable {
    private static var none: UInt64 {
        @_noLocks @_noAllocation get { .max }
    }

    private let line = AtomicLine()

    /// For the producer, after a commit.
    ///
    /// - Returns: Whether the reader is to be woken.
    @_noLocks @_noAllocation
    func reached(by committed: UInt64) -> Bool {
        var mark = line.value.load(ordering: .sequentiallyConsistent)
        while mark <= committed {
            let (exchanged, original) = line.value.compareExchange(
                expected: mark, desired: Self.none, ordering: .sequentiallyConsistent)
            if exchanged { return true }
            // The reader moved it meanwhile.
            mark = original
        }
        return false
    }

    /// Whether the producer has taken the mark, and so raised the signal or is about to.
    var isTaken: Bool { line.value.load(ordering: .sequentiallyConsistent) == Self.none }

    func isAt(_ committed: UInt64) -> Bool { line.value.load(ordering: .sequentiallyConsistent) == committed }

    /// For the reader, before it looks for units a last time.
    func set(_ committed: UInt64) {
        line.value.store(committed, ordering: .sequentiallyConsistent)
    }
}
