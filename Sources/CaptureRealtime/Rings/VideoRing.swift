import CaptureBase
import Synchronization

/// Ring that lends the driver's own buffers to one reader. Nothing is copied: its entries are the numbers of filled buffers. A
/// slow reader loses the oldest frames first; the device never runs out of buffers.
///
/// *thread-safe*
public enum VideoRing {
    /// Both ends of a ring. Take both fields.
    @frozen
    public struct Endpoints: ~Copyable, Sendable {
        public var producer: Producer
        public var consumer: Consumer
    }

    /// Makes a ring.
    ///
    /// - Parameters:
    ///   - buffers: Buffers that the source fills. The ring unmaps them.
    ///   - control: The loop's own; a second ring with it traps.
    /// - Throws: `eventfd`'s error: close descriptors, and try again.
    public static func make(buffers: FrameBuffers, control: LoopControl) throws(RealtimeFault) -> Endpoints {
        let owner = VideoRingOwner(try VideoRingCore(buffers: buffers), control)
        return Endpoints(producer: Producer(owner, control.word), consumer: Consumer(owner, control.word))
    }
}

/// State that both ends of a video ring share. The tail is in the ``LoopControl``.
///
/// `head` counts the frames taken, by the reader or by the producer that steals the oldest one: each takes by compare-and-exchange
/// from h to h + 1. The count never wraps in 64 bits, so a stale h always fails. An entry is written again only after 32 more
/// commits, which need it taken first: an entry read before a successful exchange is valid.
@safe
struct VideoRingCore: ~Copyable, @unchecked Sendable {
    // `@unchecked Sendable`: only the end that owns a buffer writes its slot.
    typealias Entries = InlineArray<32, Atomic<UInt64>>

    let head = CachePadded()
    /// Numbers of committed buffers, by position modulo 32. V4L2 has at most 32 buffers, so there is always space.
    let entries: Entries
    /// Buffers that the reader returned, and their number so far.
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

    /// Takes the oldest unread frame, for the reader, or for the producer that steals it.
    ///
    /// - Parameter committed: Number of commits so far.
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

/// Owner of the core for both ends. They use its address, since following a reference counts it, which the fence does not allow.
@safe
final class VideoRingOwner: @unchecked Sendable {
    // `@unchecked Sendable`: the pointer is written once, and the core that it leads to is Sendable.
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

/// Header and payload position of a filled buffer.
struct VideoSlot: BitwiseCopyable {
    var header: FrameHeader
    var planes: FramePlanes

    @_noLocks @_noAllocation
    init(_ header: FrameHeader, _ planes: FramePlanes) {
        self.header = header
        self.planes = planes
    }

    /// Initial value of a buffer that was never filled.
    static var blank: VideoSlot {
        VideoSlot(FrameHeader(sequence: 0, timestamp: 0, byteCount: 0, frameCount: 0), FramePlanes())
    }
}

/// Ownership of a ring's mapped buffers: decides which of the two ends must unmap them, at the first moment when nobody can read
/// any more. After a loop was abandoned, both ends may try: ``FrameBuffers`` unmaps once.
///
/// Each step is one read-modify-write of one word: if both ends leave at the same time, the later one always sees the earlier one.
///
/// *thread-safe*
struct MappingOwnership: ~Copyable, Sendable {
    /// The reader is inside its closure.
    private static let inside: UInt8 = 1
    /// The loop returned.
    private static let ended: UInt8 = 2
    /// No frame is left, and none will come. Set once; the end that sets it unmaps, unless the reader is inside.
    private static let closed: UInt8 = 4
    /// The reader is gone.
    private static let abandoned: UInt8 = 8

    private let word = Atomic<UInt8>(0)

    /// Enters the reader. False if there is no memory to read.
    func enter() -> Bool {
        let old = word.bitwiseOr(Self.inside, ordering: .acquiringAndReleasing).oldValue
        if old & Self.closed == 0 { return true }
        word.bitwiseAnd(~Self.inside, ordering: .relaxed)
        return false
    }

    /// Removes the reader for now. True if it must unmap.
    func leave() -> Bool {
        word.bitwiseAnd(~Self.inside, ordering: .acquiringAndReleasing).oldValue & Self.closed != 0
    }

    /// Closes the memory: the reader, inside, found the ring empty after its end. It unmaps when it leaves.
    func close() {
        word.bitwiseOr(Self.closed, ordering: .acquiringAndReleasing)
    }

    /// Removes the reader permanently. True if it must unmap.
    func abandon() -> Bool {
        let old = word.bitwiseOr(Self.abandoned, ordering: .acquiringAndReleasing).oldValue
        return old & Self.ended != 0 && old & Self.closed == 0
    }

    /// Ends the producer's part. True if it must unmap.
    ///
    /// - Parameter discarding: True if unread frames must not be read any more.
    func end(discarding: Bool) -> Bool {
        let bits = discarding ? Self.ended | Self.closed : Self.ended
        let old = word.bitwiseOr(bits, ordering: .acquiringAndReleasing).oldValue
        if old & Self.abandoned != 0 { return true }
        return discarding && old & Self.inside == 0
    }
}
