import Synchronization

/// Which of the two ends must unmap a ring's buffers, at the first moment when nobody can read any more. After a loop was
/// given up both may be told to: the buffers see to it that it is done once.
///
/// Every step is one read-modify-write of one word, so that of two ends that leave at the same time the later one always
/// sees the earlier one.
struct MappingOwnership: ~Copyable, Sendable {
    /// The reader is inside its closure.
    private static let inside: UInt8 = 1
    /// The loop returned.
    private static let ended: UInt8 = 2
    /// There is nothing to read and never will be. Set once; who sets it unmaps, unless the reader is inside.
    private static let closed: UInt8 = 4
    /// The reader is gone.
    private static let abandoned: UInt8 = 8

    private let word = Atomic<UInt8>(0)

    /// The reader comes. False: there is no memory to read.
    func enter() -> Bool {
        let old = word.bitwiseOr(Self.inside, ordering: .acquiringAndReleasing).oldValue
        if old & Self.closed == 0 { return true }
        word.bitwiseAnd(~Self.inside, ordering: .relaxed)
        return false
    }

    /// The reader goes. True: it must unmap.
    func leave() -> Bool {
        word.bitwiseAnd(~Self.inside, ordering: .acquiringAndReleasing).oldValue & Self.closed != 0
    }

    /// The reader, inside, found the ring empty after its end: it unmaps when it leaves.
    func close() {
        word.bitwiseOr(Self.closed, ordering: .acquiringAndReleasing)
    }

    /// The reader is gone for good. True: it must unmap.
    func abandon() -> Bool {
        let old = word.bitwiseOr(Self.abandoned, ordering: .acquiringAndReleasing).oldValue
        return old & Self.ended != 0 && old & Self.closed == 0
    }

    /// The loop returned. True: the producer must unmap.
    ///
    /// - Parameter discarding: Nothing unread is left either.
    func end(discarding: Bool) -> Bool {
        let bits = discarding ? Self.ended | Self.closed : Self.ended
        let old = word.bitwiseOr(bits, ordering: .acquiringAndReleasing).oldValue
        if old & Self.abandoned != 0 { return true }
        return discarding && old & Self.inside == 0
    }
}
