import Synchronization

/// Ends one capture loop, from any thread.
///
/// A commit is one compare-and-exchange of the word that also holds the reason to stop: once ``request(_:)`` has
/// returned, no commit can happen. Not one frame is captured after a revocation.
///
/// *thread-safe*
@safe
public final class LoopControl: Sendable {
    /// Reason to stop; the greater one wins.
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

    /// Part that the capture thread uses.
    public let word: CommitWord
    /// Wakes the loop; the word uses its descriptor.
    private let signal: EventSignal
    private let adopted = Atomic<Bool>(false)

    /// - Throws: `eventfd`'s error: close descriptors, and try again.
    public init() throws(RealtimeFault) {
        signal = try EventSignal()
        let cell = UnsafeMutablePointer<CachePadded>.allocate(capacity: 1)
        unsafe cell.initialize(to: CachePadded())
        unsafe word = CommitWord(cell: cell, descriptor: signal.descriptor)
    }

    /// Ends the loop within one period or 100 ms. One system call and no lock: safe in a signal handler.
    public func request(_ reason: Reason) { word.request(reason) }

    /// Reason requested so far.
    public var reason: Reason { word.reason() }

    /// Number of commits so far. Never changes after ``request(_:)`` has returned.
    public var committed: UInt64 { word.committed() }

    /// Claims the control for one ring. The commit count belongs to that ring: a second one would corrupt it.
    func adopt() {
        precondition(!adopted.exchange(true, ordering: .relaxed), "A LoopControl controls one loop")
    }

    deinit {
        unsafe word.cell.deinitialize(count: 1)
        unsafe word.cell.deallocate()
    }
}

/// Word that stops a loop and counts its commits, as a plain address: a method call on an object counts references, which the
/// fence does not allow. ``LoopControl`` owns the word and outlives each use.
///
/// Bits 0 and 1 are the reason to stop, the bits above count commits. One compare-and-exchange changes both, so that a
/// commit and a request to stop can't pass each other.
///
/// *realtime-safe*
@safe
public struct CommitWord: BitwiseCopyable, @unchecked Sendable {
    // `@unchecked Sendable`: the pointer leads only to an atomic.
    @usableFromInline let cell: UnsafeMutablePointer<CachePadded>
    /// An eventfd to poll together with the device.
    public let descriptor: Int32

    /// Number of commits so far. Sequentially consistent like the commit, as ``WakeupThreshold`` requires.
    @_noLocks @_noAllocation
    public func committed() -> UInt64 {
        unsafe cell.pointee.value.load(ordering: .sequentiallyConsistent) >> 2
    }

    /// Requested reason to stop. Acquiring: the reader of a reason also sees what its writer did before.
    @_noLocks @_noAllocation @inlinable
    public func reason() -> LoopControl.Reason {
        switch unsafe cell.pointee.value.load(ordering: .acquiring) & 3 {
        case 0: .none
        case 1: .stop
        case 2: .expired
        default: .revoked
        }
    }

    /// Result for the requested reason; `nil` while the loop may continue.
    @_noLocks @_noAllocation @inlinable
    public func result() -> LoopResult? {
        switch reason() {
        case .none: nil
        case .stop: LoopResult(.stopped)
        case .expired: LoopResult(.expired)
        case .revoked: LoopResult(.revoked)
        }
    }

    /// Publishes the entry that makes the count `count` + 1, unless a stop was requested.
    ///
    /// - Returns: False if a stop was requested: nothing is published, now or later.
    @_noLocks @_noAllocation @inlinable
    func commit(after count: UInt64) -> Bool {
        unsafe cell.pointee.value.compareExchange(
            expected: count << 2, desired: (count &+ 1) << 2, ordering: .sequentiallyConsistent
        ).exchanged
    }

    /// Sets the reason, unless a greater one is set, and wakes the loop. The eventfd is written in either case, since the first
    /// writer may not have written it yet.
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
        EventSignal.raise(descriptor)
    }
}
