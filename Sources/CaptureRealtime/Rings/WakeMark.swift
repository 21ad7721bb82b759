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
    /// How many units the reader wants at a time.
    private let units = Atomic<UInt64>(1)

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

    /// For the reader, before it looks for units a last time.
    ///
    /// - Parameters:
    ///   - units: How many it wants, 1 upwards.
    ///   - position: From where they count.
    func set(_ units: UInt64, after position: UInt64) {
        self.units.store(units, ordering: .relaxed)
        line.value.store(position &+ units, ordering: .sequentiallyConsistent)
    }

    /// For the producer: how many units may come before the reader wants to hear of them. A reader that was just woken
    /// and has not set its mark again is believed to want as many as the last time.
    @_noLocks @_noAllocation
    func distance(from committed: UInt64) -> UInt64 {
        let mark = line.value.load(ordering: .relaxed)
        if mark == Self.none { return units.load(ordering: .relaxed) }
        return mark > committed ? mark &- committed : 0
    }
}
