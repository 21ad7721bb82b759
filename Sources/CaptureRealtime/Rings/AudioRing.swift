import CaptureBase
import Synchronization

/// Ring of periods between the capture thread and one reader. A slot holds a header and the bytes of one period. If no slot is
/// free, the incoming period is dropped and counted.
///
/// *thread-safe*
public enum AudioRing {
    /// Both ends of a ring. Take both fields.
    @frozen
    public struct Endpoints: ~Copyable, Sendable {
        public var producer: Producer
        public var consumer: Consumer
    }

    /// Makes a ring.
    ///
    /// - Parameters:
    ///   - slots: Periods that fit, 2 or more.
    ///   - slotBytes: Bytes of a whole period.
    ///   - control: The loop's own; a second ring with it traps.
    /// - Throws: The error of `memfd_create`, `mmap` or `eventfd`: close descriptors or free memory, and try again.
    public static func make(slots: Int, slotBytes: Int, control: LoopControl) throws(RealtimeFault) -> Endpoints {
        let owner = AudioRingOwner(try AudioRingCore(slots: slots, slotBytes: slotBytes), control)
        return Endpoints(producer: Producer(owner, control.word), consumer: Consumer(owner, control.word))
    }
}

extension AudioRing {
    /// Writing end of an audio ring, for the capture thread only.
    ///
    /// *realtime-safe*
    @safe
    public struct Producer: ~Copyable, @unchecked Sendable {
        // `@unchecked Sendable`: `owner` keeps the pointer's memory alive.
        private let owner: AudioRingOwner
        private let core: UnsafeMutablePointer<AudioRingCore>
        @usableFromInline let word: CommitWord
        /// Periods committed.
        @usableFromInline var tail: UInt64 = 0
        /// Slot number of the next period. Counted separately, because one division per period costs more than everything else.
        private var index: UInt64 = 0
        /// Slot of the current period, at its header.
        @usableFromInline var slot: UnsafeMutableRawPointer
        /// Reader's position when last read: reading its cache line again and again would slow it down.
        private var cachedHead: UInt64 = 0
        /// True while the claimed slot is the spare one.
        private var isSpare = false
        private var hasEnded = false

        init(_ owner: AudioRingOwner, _ word: CommitWord) {
            self.owner = owner
            unsafe core = owner.core
            unsafe slot = owner.core.pointee.spare
            self.word = word
        }

        /// Begins a period: claims a free slot, or the spare one, whose period is dropped.
        ///
        /// - Returns: Address for the frames; the bytes of a whole period fit.
        @_noLocks @_noAllocation
        public mutating func claim() -> UnsafeMutableRawPointer {
            if unsafe tail &- cachedHead >= core.pointee.slots { cachedHead = unsafe core.pointee.readPosition() }
            isSpare = unsafe tail &- cachedHead >= core.pointee.slots
            unsafe slot = isSpare ? core.pointee.spare : core.pointee.slot(index)
            return unsafe slot + AudioRingCore.headerBytes
        }

        /// True if the claimed period will be dropped.
        public var isDropping: Bool {
            @_noLocks @_noAllocation get { isSpare }
        }

        /// Publishes the claimed period. Inlined, so that the header is written to its slot at once: made elsewhere and
        /// copied, it would be read before it has left the processor's store buffer.
        ///
        /// - Parameter header: With running totals of loss.
        /// - Returns: False if a stop was requested: nothing is published, now or later.
        @_noLocks @_noAllocation @inlinable
        public mutating func commit(_ header: FrameHeader) -> Bool {
            unsafe slot.storeBytes(of: header, as: FrameHeader.self)
            guard word.commit(after: tail) else { return false }
            tail &+= 1
            committed()
            return true
        }

        /// Moves on to the next slot and wakes the reader.
        @_noLocks @_noAllocation @usableFromInline
        mutating func committed() {
            unsafe index = core.pointee.index(after: index)
            unsafe core.pointee.prefetch(after: index)
            unsafe core.pointee.wakeReader(committed: tail)
        }

        /// Ends the ring for its reader, with the reason.
        public mutating func finish(_ result: LoopResult) {
            hasEnded = true
            unsafe core.pointee.completion.end(result)
        }

        /// Ends the ring for its reader while the producer hangs in a call to the device. Keeps a reference to the owner: the ring
        /// must outlive the call.
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
    /// Reading end of an audio ring.
    ///
    /// *session-bound*
    @safe
    public struct Consumer: ~Copyable, FrameReader, @unchecked Sendable {
        // `@unchecked Sendable`: `owner` keeps the pointer's memory alive.
        private let owner: AudioRingOwner
        private let core: UnsafeMutablePointer<AudioRingCore>
        private let word: CommitWord
        private var head: UInt64 = 0
        /// Slot of the period at `head`.
        private var index: UInt64 = 0
        /// Commits seen so far: the shared word is read again only when all of these are used, since each read takes its cache
        /// line from the producer.
        private var cachedTail: UInt64 = 0
        /// Totals of the last header, to form the differences.
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
        /// Arms the signal for ``wakeAfter`` periods, or half the ring, so that a reader with a large value still wakes in time.
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
            // Releases the slot even if the body throws: its frames were lent and count as read.
            defer { release() }
            let start = unsafe slot + AudioRingCore.headerBytes
            let bytes = unsafe UnsafeRawBufferPointer(start: start, count: header.byteCount)
            return try unsafe body(header, bytes.bytes)
        }

        /// Slot of the oldest unread period.
        @usableFromInline
        mutating func next() -> UnsafeMutableRawPointer? {
            unsafe hasNext() ? core.pointee.slot(index) : nil
        }

        /// Arms the signal before the last check: a later commit raises it, and an earlier one is found.
        private mutating func hasNext() -> Bool {
            if cachedTail == head { cachedTail = word.committed() }
            if cachedTail != head { return true }
            clearSignal()
            cachedTail = word.committed()
            return cachedTail != head
        }

        /// Returns the slot to the producer.
        @usableFromInline
        mutating func release() {
            head &+= 1
            unsafe index = core.pointee.index(after: index)
            unsafe core.pointee.head.value.store(head, ordering: .releasing)
        }
    }
}

/// State that both ends of an audio ring share. The tail is in the ``LoopControl``.
@usableFromInline
struct AudioRingCore: ~Copyable, Sendable {
    /// Bytes of the header before a slot's payload: a cache line.
    @usableFromInline static var headerBytes: Int {
        @_noLocks @_noAllocation @inlinable get { 64 }
    }

    /// Periods read so far, alone in its cache lines: the reader writes it for each period.
    let head = CachePadded()
    let completion: RingCompletion
    let slots: UInt64
    let slotBytes: Int
    /// Bytes from slot to slot, a multiple of 128: neighbours share no pair of cache lines.
    private let stride: Int
    private let memory: SharedMemory

    init(slots: Int, slotBytes: Int) throws(RealtimeFault) {
        precondition(slots >= 2 && slotBytes > 0, "A ring has two slots at least, and slots have bytes")
        let stride = (Self.headerBytes + slotBytes + 127) / 128 * 128
        let completion = try RingCompletion()
        // One slot more than the ring holds: the spare one takes dropped periods.
        let memory = try SharedMemory(byteCount: stride * (slots + 1))
        self.slots = UInt64(slots)
        self.slotBytes = slotBytes
        self.stride = stride
        self.completion = completion
        self.memory = memory
    }

    /// Address of a slot.
    @_noLocks @_noAllocation
    func slot(_ index: UInt64) -> UnsafeMutableRawPointer {
        unsafe memory.base + Int(index) &* stride
    }

    /// Number of the next slot, without a division.
    @_noLocks @_noAllocation
    func index(after index: UInt64) -> UInt64 {
        index &+ 1 == slots ? 0 : index &+ 1
    }

    /// Takes the first cache lines of a slot that is needed soon out of the reader's cache into the writer's. Slots
    /// longer than 512 bytes are left to the hardware prefetcher; hints only slow it down.
    @_noLocks @_noAllocation
    func prefetch(after index: UInt64) {
        if stride > 512 { return }
        let ahead = index &+ 3
        let slot = unsafe slot(ahead < slots ? ahead : ahead &- slots)
        unsafe SharedMemory.prefetch(slot)
        unsafe SharedMemory.prefetch(slot + 64)
        unsafe SharedMemory.prefetch(slot + 128)
    }

    /// Slot for dropped periods: the capture thread always has memory to read into, whatever the reader does.
    var spare: UnsafeMutableRawPointer {
        @_noLocks @_noAllocation get { unsafe memory.base + Int(slots) * stride }
    }

    /// Acquiring: the reader has finished with the slots before this position.
    @_noLocks @_noAllocation
    func readPosition() -> UInt64 {
        head.value.load(ordering: .acquiring)
    }

    @_noLocks @_noAllocation
    func wakeReader(committed: UInt64) {
        completion.woke(committed: committed)
    }
}

/// Owner of the core for both ends. They use its address, since following a reference counts it, which the fence does not allow.
@safe
final class AudioRingOwner: @unchecked Sendable {
    // `@unchecked Sendable`: the pointer is written once, and the core that it leads to is Sendable.
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
