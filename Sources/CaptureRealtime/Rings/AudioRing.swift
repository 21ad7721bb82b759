import CMedia
import CaptureBase
import Synchronization

/// A ring of periods between the capture thread and one reader. A slot holds a header and the bytes of one period; with
/// no free slot the incoming period is dropped and counted.
///
/// *thread-safe*
public enum AudioRing {
    /// The two ends of a ring. Take both fields.
    @frozen
    public struct Endpoints: ~Copyable, Sendable {
        public var producer: Producer
        public var consumer: Consumer
    }

    /// Makes a ring.
    ///
    /// - Parameters:
    ///   - slots: Periods that fit, 2 upwards.
    ///   - slotBytes: The bytes of a whole period.
    ///   - control: The loop's own; a second ring with it traps.
    /// - Throws: `memfd_create`, `mmap` or `eventfd`, as the system says: close something, and try again.
    public static func make(slots: Int, slotBytes: Int, control: LoopControl) throws(RealtimeFault) -> Endpoints {
        let owner = AudioRingOwner(try AudioRingCore(slots: slots, slotBytes: slotBytes), control)
        return Endpoints(producer: Producer(owner, control.word), consumer: Consumer(owner, control.word))
    }
}

extension AudioRing {
    /// The writing end, for the capture thread alone.
    ///
    /// *realtime-safe*
    @safe
    public struct Producer: ~Copyable, @unchecked Sendable {
        // Sendable by hand because of the pointer, which the owner keeps alive.
        private let owner: AudioRingOwner
        private let core: UnsafeMutablePointer<AudioRingCore>
        @usableFromInline let word: CommitWord
        /// Units committed.
        @usableFromInline var tail: UInt64 = 0
        /// The slot of the next unit by its number, 0 upwards: counted along, because a division a unit costs more than all else.
        private var index: UInt64 = 0
        /// The slot of the period begun: its header's index.
        @usableFromInline var slot: UnsafeMutableRawPointer
        /// Where the reader was when last looked at: reading its line again and again would cost it its speed.
        private var cachedHead: UInt64 = 0
        private var isSpare = false
        private var hasEnded = false

        init(_ owner: AudioRingOwner, _ word: CommitWord) {
            self.owner = owner
            unsafe core = owner.core
            unsafe slot = owner.core.pointee.spare
            self.word = word
        }

        /// Begins a period: a free slot, or the spare one, where it will be dropped.
        ///
        /// - Returns: Where to write; the bytes of a whole period fit.
        @_noLocks @_noAllocation
        public mutating func claim() -> UnsafeMutableRawPointer {
            if unsafe tail &- cachedHead >= core.pointee.slots { cachedHead = unsafe core.pointee.readPosition() }
            isSpare = unsafe tail &- cachedHead >= core.pointee.slots
            unsafe slot = isSpare ? core.pointee.spare : core.pointee.slot(index)
            return unsafe slot + AudioRingCore.headerBytes
        }

        /// Whether the claimed period will be dropped.
        public var isDropping: Bool {
            @_noLocks @_noAllocation get { isSpare }
        }

        /// Publishes the claimed period. In line with its caller, so that the header is written where it belongs at once: made
        /// elsewhere and copied, it would be read before it has left the processor's store buffer.
        ///
        /// - Parameter header: With running totals of loss.
        /// - Returns: False when the loop was asked to stop: nothing was published, and never will be.
        @_noLocks @_noAllocation @inlinable
        public mutating func commit(_ header: FrameHeader) -> Bool {
            unsafe slot.storeBytes(of: header, as: FrameHeader.self)
            guard word.commit(after: tail) else { return false }
            tail &+= 1
            committed()
            return true
        }

        @_noLocks @_noAllocation @usableFromInline
        mutating func committed() {
            unsafe index = core.pointee.index(after: index)
            unsafe core.pointee.prefetch(after: index)
            unsafe core.pointee.wakeReader(committed: tail)
        }

        /// Tells the reader that nothing more will come, and why.
        public mutating func finish(_ result: LoopResult) {
            hasEnded = true
            unsafe core.pointee.completion.end(result)
        }

        /// Ends the ring for its reader while the producer hangs in a call to the device.
        var giveUp: @Sendable (LoopResult) -> Void {
            { [owner] result in unsafe owner.core.pointee.completion.end(result) }
        }

        deinit {
            // A producer that never ran must not leave its reader waiting.
            if !hasEnded { unsafe core.pointee.completion.end(LoopResult(.stopped)) }
        }
    }
}

extension AudioRing {
    /// The reading end.
    ///
    /// *session-bound*
    @safe
    public struct Consumer: ~Copyable, FrameReader, @unchecked Sendable {
        // Sendable by hand because of the pointer, which the owner keeps alive.
        private let owner: AudioRingOwner
        private let core: UnsafeMutablePointer<AudioRingCore>
        private let word: CommitWord
        private var head: UInt64 = 0
        /// The slot of the unit at `head`.
        private var index: UInt64 = 0
        private var cachedTail: UInt64 = 0
        @usableFromInline var totals = Loss()

        init(_ owner: AudioRingOwner, _ word: CommitWord) {
            self.owner = owner
            unsafe core = owner.core
            self.word = word
        }

        public var readySignal: Int32 { unsafe core.pointee.completion.signal.descriptor }
        public var ended: LoopResult? { unsafe core.pointee.completion.result }
        public var unread: Int { Int(word.committed() &- head) }
        public var wakeAfter = 1
        public func clearSignal() {
            let periods = min(UInt64(wakeAfter), unsafe core.pointee.slots / 2)
            unsafe core.pointee.completion.clear(until: head &+ periods)
        }

        @inlinable
        public mutating func withNext<Result, Failure: Error>(
            _ body: (FrameHeader, RawSpan) throws(Failure) -> Result
        ) throws(Failure) -> Result? {
            guard let slot = unsafe next() else { return nil }
            var header = unsafe slot.load(as: FrameHeader.self)
            let lost = header.lost.since(totals)
            totals = header.lost
            header.lost = lost
            // Also when the body throws: what it was lent is read.
            defer { release() }
            let start = unsafe slot + AudioRingCore.headerBytes
            let bytes = unsafe UnsafeRawBufferPointer(start: start, count: header.byteCount)
            return try unsafe body(header, bytes.bytes)
        }

        /// The slot of the oldest unread unit.
        @usableFromInline
        mutating func next() -> UnsafeMutableRawPointer? {
            unsafe hasNext() ? core.pointee.slot(index) : nil
        }

        private mutating func hasNext() -> Bool {
            if cachedTail == head { cachedTail = word.committed() }
            if cachedTail != head { return true }
            clearSignal()
            cachedTail = word.committed()
            return cachedTail != head
        }

        @usableFromInline
        mutating func release() {
            head &+= 1
            unsafe index = core.pointee.index(after: index)
            unsafe core.pointee.head.value.store(head, ordering: .releasing)
        }
    }
}

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
