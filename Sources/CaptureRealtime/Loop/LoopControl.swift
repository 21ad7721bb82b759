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
