import Synchronization

/// A number that one thread writes and any thread reads.
struct SingleWriterCounter: ~Copyable, Sendable {
    private let value = Atomic<UInt64>(0)

    var now: UInt64 {
        @_noLocks @_noAllocation get { value.load(ordering: .relaxed) }
    }

    /// A load and a store, no locked addition: there is one writer.
    @_noLocks @_noAllocation
    func add(_ amount: UInt64) {
        value.store(value.load(ordering: .relaxed) &+ amount, ordering: .relaxed)
    }

    @_noLocks @_noAllocation
    func set(_ new: UInt64) {
        value.store(new, ordering: .relaxed)
    }
}
