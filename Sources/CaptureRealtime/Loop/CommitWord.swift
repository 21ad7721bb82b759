import CMedia
import Synchronization

/// The word by which a loop is stopped and its units are counted, as a plain address: a method call on an object counts
/// references, which the fence does not allow. ``LoopControl`` owns the word and outlives every use of it.
///
/// Bits 0 and 1: the reason to stop. Above: units committed.
///
/// *realtime-safe*
@safe
public struct CommitWord: BitwiseCopyable, @unchecked Sendable {
    // Sendable by hand because of the pointer: behind it stands an atomic.
    @usableFromInline let cell: UnsafeMutablePointer<CachePadded>
    /// An eventfd, to wait for together with the device.
    public let descriptor: Int32

    /// Units committed so far. Sequentially consistent, as the commit is, for the sake of ``WakeupThreshold``.
    @_noLocks @_noAllocation
    public func committed() -> UInt64 {
        unsafe cell.pointee.value.load(ordering: .sequentiallyConsistent) >> 2
    }

    @_noLocks @_noAllocation @inlinable
    public func reason() -> LoopControl.Reason {
        switch unsafe cell.pointee.value.load(ordering: .acquiring) & 3 {
        case 0: .none
        case 1: .stop
        case 2: .expired
        default: .revoked
        }
    }

    /// The result that the requested reason means, or `nil` while the loop may go on.
    @_noLocks @_noAllocation @inlinable
    public func result() -> LoopResult? {
        switch reason() {
        case .none: nil
        case .stop: LoopResult(.stopped)
        case .expired: LoopResult(.expired)
        case .revoked: LoopResult(.revoked)
        }
    }

    /// Publishes the unit that makes the count `count` + 1, unless something was requested.
    @_noLocks @_noAllocation @inlinable
    func commit(after count: UInt64) -> Bool {
        unsafe cell.pointee.value.compareExchange(
            expected: count << 2, desired: (count &+ 1) << 2, ordering: .sequentiallyConsistent
        ).exchanged
    }

    @_noLocks @_noAllocation
    func request(_ reason: LoopControl.Reason) {
        var old = unsafe cell.pointee.value.load(ordering: .relaxed)
        let bits = reason.bits
        while old & 3 < bits {
            let new = old & ~3 | bits
            let (exchanged, original) = unsafe cell.pointee.value.compareExchange(
                expected: old, desired: new, ordering: .acquiringAndReleasing)
            if exchanged { break }
            old = original
        }
        _ = cm_eventfd_write(descriptor)
    }
}
