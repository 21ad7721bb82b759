import CMedia
import Synchronization

/// Ends one capture loop, from any thread.
///
/// A commit is one compare-and-exchange of the word that also holds the reason to stop, so once ``request(_:)`` has
/// returned no commit can happen any more: not one unit is captured after a revocation.
///
/// *thread-safe*
@safe
public final class LoopControl: Sendable {
    /// Why to stop; the greater one wins.
    public enum Reason: BitwiseCopyable, Sendable, Hashable {
        case none, stop, expired, revoked

        var bits: UInt64 {
            @_noLocks @_noAllocation get {
                switch self {
                case .none: 0
                case .stop: 1
                case .expired: 2
                case .revoked: 3
                }
            }
        }
    }

    public let word: CommitWord
    private let adopted = Atomic<Bool>(false)

    /// - Throws: `eventfd`, as the system says: close something, and try again.
    public init() throws(RealtimeFault) {
        let descriptor = try checked(.eventDescriptor, cm_eventfd())
        let cell = UnsafeMutablePointer<CachePadded>.allocate(capacity: 1)
        unsafe cell.initialize(to: CachePadded())
        unsafe word = CommitWord(cell: cell, descriptor: descriptor)
    }

    /// Ends the loop within one period or 100 ms. One system call and no lock: a signal handler may call it.
    public func request(_ reason: Reason) { word.request(reason) }

    /// What was requested so far.
    public var reason: Reason { word.reason() }

    /// Units committed so far: it never changes after ``request(_:)`` has returned.
    public var committed: UInt64 { word.committed() }

    /// The count is a ring's own, so a second ring would corrupt the first.
    func adopt() {
        precondition(!adopted.exchange(true, ordering: .relaxed), "A LoopControl controls one loop")
    }

    deinit {
        _ = cm_close(word.descriptor)
        unsafe word.cell.deinitialize(count: 1)
        unsafe word.cell.deallocate()
    }
}

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
