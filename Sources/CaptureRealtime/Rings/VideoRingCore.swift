import Synchronization

/// What both ends of a video ring share. The tail stands in the ``LoopControl``.
///
/// `head` counts the units taken, by the reader or by the producer that steals the oldest one: each takes by
/// compare-and-exchange from h to h + 1. The count never comes round in 64 bits, so a stale h always fails. An entry is
/// written again only after 32 more commits, which need it taken first: what was read before a successful exchange is right.
@safe
struct VideoRingCore: ~Copyable, @unchecked Sendable {
    // Sendable by hand because of `slots`: a buffer's slot is written by who owns the buffer.
    typealias Entries = InlineArray<32, Atomic<UInt64>>

    let head = CachePadded()
    let entries: Entries
    /// Buffers that the reader gave back, and how many it ever gave.
    let returned: Entries
    let returnedTail = CachePadded()
    let completion: RingCompletion
    let ownership: MappingOwnership
    let buffers: FrameBuffers
    private let slots: UnsafeMutablePointer<VideoSlot>

    init(buffers: FrameBuffers) throws(RealtimeFault) {
        self.buffers = buffers
        entries = Entries { _ in Atomic(0) }
        returned = Entries { _ in Atomic(0) }
        ownership = MappingOwnership()
        unsafe slots = .allocate(capacity: FrameBuffers.most)
        unsafe slots.initialize(repeating: VideoSlot.blank, count: FrameBuffers.most)
        completion = try RingCompletion()
    }

    deinit {
        unsafe slots.deallocate()
    }

    @_noLocks @_noAllocation
    func slot(_ buffer: Int) -> VideoSlot {
        unsafe slots[buffer]
    }

    @_noLocks @_noAllocation
    func set(_ slot: VideoSlot, for buffer: Int) {
        unsafe slots[buffer] = slot
    }

    /// Takes the oldest unread unit, for the reader or against it.
    ///
    /// - Parameter committed: How many units were ever committed.
    /// - Returns: Its buffer and position, or `nil` when all are taken.
    @_noLocks @_noAllocation
    func takeOldest(of committed: UInt64) -> (buffer: Int, position: UInt64)? {
        var position = head.value.load(ordering: .acquiring)
        while position < committed {
            let buffer = entries[Int(position % 32)].load(ordering: .relaxed)
            let (exchanged, original) = head.value.compareExchange(
                expected: position, desired: position &+ 1, ordering: .acquiringAndReleasing)
            if exchanged { return (Int(buffer), position) }
            position = original
        }
        return nil
    }
}

extension VideoRingCore {
    @_noLocks @_noAllocation
    func returnedCount() -> UInt64 {
        returnedTail.value.load(ordering: .acquiring)
    }

    @_noLocks @_noAllocation
    func returned(_ position: UInt64) -> Int {
        Int(returned[Int(position % 32)].load(ordering: .relaxed))
    }

    @_noLocks @_noAllocation
    func setEntry(_ position: UInt64, _ buffer: Int) {
        entries[Int(position % 32)].store(UInt64(buffer), ordering: .relaxed)
    }

    @_noLocks @_noAllocation
    func wakeReader(committed: UInt64) {
        completion.woke(committed: committed)
    }
}

/// Owns the core for both ends. They walk by its address: following references is counted, which the fence does not allow.
@safe
final class VideoRingOwner: @unchecked Sendable {
    // Sendable by hand because of the pointer: it is written once, and what stands behind it is Sendable.
    let core: UnsafeMutablePointer<VideoRingCore>
    private let control: LoopControl

    init(_ core: consuming VideoRingCore, _ control: LoopControl) {
        control.adopt()
        self.control = control
        unsafe self.core = .allocate(capacity: 1)
        unsafe self.core.initialize(to: core)
    }

    deinit {
        unsafe core.deinitialize(count: 1)
        unsafe core.deallocate()
    }
}
