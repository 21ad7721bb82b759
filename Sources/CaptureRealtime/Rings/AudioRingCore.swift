import CMedia
import Synchronization

/// What both ends of an audio ring share. The tail stands in the ``LoopControl``.
@usableFromInline
struct AudioRingCore: ~Copyable, Sendable {
    /// The bytes of the header before a slot's payload: a cache line.
    @usableFromInline static var headerBytes: Int {
        @_noLocks @_noAllocation @inlinable get { 64 }
    }

    let head = CachePadded()
    let completion: RingCompletion
    let slots: UInt64
    let slotBytes: Int
    private let stride: Int
    private let memory: SharedMemory

    init(slots: Int, slotBytes: Int) throws(RealtimeFault) {
        precondition(slots >= 2 && slotBytes > 0, "A ring has two slots at least, and slots have bytes")
        let stride = (Self.headerBytes + slotBytes + 127) / 128 * 128
        let completion = try RingCompletion()
        // One slot more than fit: the spare one takes what is dropped.
        let memory = try SharedMemory(byteCount: stride * (slots + 1))
        self.slots = UInt64(slots)
        self.slotBytes = slotBytes
        self.stride = stride
        self.completion = completion
        self.memory = memory
    }

    /// Where the slot with that number lies.
    @_noLocks @_noAllocation
    func slot(_ index: UInt64) -> UnsafeMutableRawPointer {
        unsafe memory.base + Int(index) &* stride
    }

    /// The number of the slot behind that one.
    @_noLocks @_noAllocation
    func index(after index: UInt64) -> UInt64 {
        index &+ 1 == slots ? 0 : index &+ 1
    }

    /// Takes the first lines of a slot a little ahead into the writer's cache before they are needed: they are in the
    /// reader's. Of slots of many lines the processor fetches by itself what follows the first, and is only disturbed.
    @_noLocks @_noAllocation
    func prefetch(after index: UInt64) {
        if stride > 512 { return }
        let ahead = index &+ 3
        let slot = unsafe slot(ahead < slots ? ahead : ahead &- slots)
        unsafe cm_prefetch_write(slot)
        unsafe cm_prefetch_write(slot + 64)
        unsafe cm_prefetch_write(slot + 128)
    }

    var spare: UnsafeMutableRawPointer {
        @_noLocks @_noAllocation get { unsafe memory.base + Int(slots) * stride }
    }

    @_noLocks @_noAllocation
    func readPosition() -> UInt64 {
        head.value.load(ordering: .acquiring)
    }

    @_noLocks @_noAllocation
    func wakeReader(committed: UInt64) {
        completion.woke(committed: committed)
    }
}

/// Owns the core for both ends. They walk by its address: following references is counted, which the fence does not allow.
@safe
final class AudioRingOwner: @unchecked Sendable {
    // Sendable by hand because of the pointer: it is written once, and what stands behind it is Sendable.
    let core: UnsafeMutablePointer<AudioRingCore>
    private let control: LoopControl

    init(_ core: consuming AudioRingCore, _ control: LoopControl) {
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
