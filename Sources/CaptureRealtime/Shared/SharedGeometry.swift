import CaptureBase

/// Sizes of a shared ring, and the positions of its parts in the memory.
///
/// The memory begins with a page about the ring; slots follow, each with a header before its payload. Both ends compute all
/// positions from their own copy of these numbers, never from later contents of the memory.
///
/// *realtime-safe*
package struct SharedGeometry: BitwiseCopyable, Sendable, Hashable {
    /// Entries that the ring holds, 2…1024.
    package let slots: Int
    /// Maximum bytes of an entry's payload.
    package let slotBytes: Int

    /// - Parameters:
    ///   - slots: Entries that the ring holds.
    ///   - slotBytes: Maximum bytes of an entry's payload.
    /// - Throws: EPROTO for impossible numbers.
    package init(slots: Int, slotBytes: Int) throws(RealtimeFault) {
        guard (2...1024).contains(slots), (1...Self.most).contains(slotBytes) else {
            throw RealtimeFault.brokenShare
        }
        self.slots = slots
        self.slotBytes = slotBytes
        guard byteCount <= Self.most else { throw RealtimeFault.brokenShare }
    }

    /// Ring for as many video frames as fit into 32 MiB, at least 4 and at most 8.
    ///
    /// - Throws: The fault of an impossible format.
    package init(for format: CameraFormat) throws(RealtimeFault) {
        try format.check()
        let bytes = format.layouts.reduce(0) { $0 + $1.sizeImage }
        try self.init(slots: max(4, min(8, (32 << 20) / max(1, bytes))), slotBytes: bytes)
    }

    /// Ring for two seconds of audio, one period per slot.
    ///
    /// - Throws: EPROTO for impossible settings.
    package init(for settings: PCMSettings) throws(RealtimeFault) {
        guard (1...1 << 20).contains(settings.rate), (1...1 << 20).contains(settings.periodFrames),
            (1...256).contains(settings.channels)
        else { throw RealtimeFault.brokenShare }
        let slots = 2 * settings.rate / settings.periodFrames
        try self.init(slots: max(4, min(1024, slots)), slotBytes: settings.periodFrames * settings.bytesPerFrame)
    }

    /// Maximum bytes of a ring: 8 frames of 7680×4320 in YUYV are half of it.
    private static var most: Int { 1 << 30 }
}

extension SharedGeometry {
    /// Bytes of the page about the ring.
    static var page: Int {
        @_noLocks @_noAllocation get { 4096 }
    }

    /// Number of bytes, rounded up to whole pages.
    static func pages(_ bytes: Int) -> Int { (bytes + page - 1) & ~(page - 1) }

    /// Bytes of a slot's header: a pair of cache lines.
    static var header: Int {
        @_noLocks @_noAllocation get { 128 }
    }

    /// Distance from slot to slot.
    var stride: Int {
        @_noLocks @_noAllocation get { (Self.header &+ slotBytes &+ 127) & ~127 }
    }

    /// Bytes of the whole memory.
    package var byteCount: Int {
        @_noLocks @_noAllocation get { Self.page &+ slots &* stride }
    }

    /// Position of an entry's slot in the memory, by the entry's position in the stream.
    @_noLocks @_noAllocation
    func offset(_ position: UInt64) -> Int {
        Self.page &+ Int(truncatingIfNeeded: position % UInt64(truncatingIfNeeded: slots)) &* stride
    }
}

/// Offsets of the words in the page about the ring. Words that change have a pair of cache lines each.
enum SharedWord {
    /// Name and version of the layout: "CGRING" and 1.
    static var magic: UInt64 {
        @_noLocks @_noAllocation get { 0x0001_474E_4952_4743 }
    }

    static var form: Int {
        @_noLocks @_noAllocation get { 0 }
    }
    static var slots: Int {
        @_noLocks @_noAllocation get { 8 }
    }
    static var slotBytes: Int {
        @_noLocks @_noAllocation get { 16 }
    }
    /// Entries written so far.
    static var written: Int {
        @_noLocks @_noAllocation get { 128 }
    }
    /// Outcome of the stream, packed; 0 while it runs.
    static var end: Int {
        @_noLocks @_noAllocation get { 256 }
    }
}

/// Header of a slot, by its words. The sequence lock is before them, at the beginning of the slot.
///
/// *realtime-safe*
struct SharedSlotHeader: BitwiseCopyable, Sendable {
    var sequence: UInt64
    var timestamp: UInt64
    /// Bytes of the payload's planes, one after another.
    var bytes0: UInt64
    var bytes1: UInt64
    var bytes2: UInt64
    var frameCount: UInt64
    var flags: UInt64

    @_noLocks @_noAllocation
    init(_ header: FrameHeader, _ planes: FramePlanes) {
        sequence = header.sequence
        timestamp = UInt64(bitPattern: header.timestamp)
        bytes0 = UInt64(truncatingIfNeeded: planes.byteCount(0))
        bytes1 = UInt64(truncatingIfNeeded: planes.byteCount(1))
        bytes2 = UInt64(truncatingIfNeeded: planes.byteCount(2))
        frameCount = UInt64(truncatingIfNeeded: header.frameCount)
        flags = UInt64(header.flags.rawValue)
    }

    /// Reads a header that another process wrote, with any numbers.
    @_noLocks @_noAllocation
    init(_ slot: UnsafeRawPointer) {
        sequence = unsafe slot.word(8)
        timestamp = unsafe slot.word(16)
        bytes0 = unsafe slot.word(24)
        bytes1 = unsafe slot.word(32)
        bytes2 = unsafe slot.word(40)
        frameCount = unsafe slot.word(48)
        flags = unsafe slot.word(56)
    }

    @_noLocks @_noAllocation
    func store(_ slot: UnsafeMutableRawPointer) {
        unsafe slot.setWord(8, sequence)
        unsafe slot.setWord(16, timestamp)
        unsafe slot.setWord(24, bytes0)
        unsafe slot.setWord(32, bytes1)
        unsafe slot.setWord(40, bytes2)
        unsafe slot.setWord(48, frameCount)
        unsafe slot.setWord(56, flags)
    }

    /// Bytes of the payload plane by plane; `nil` if a plane has more than `most` bytes, or all together more than `slotBytes`.
    @_noLocks @_noAllocation
    func planes(within most: FramePlanes, slotBytes: Int) -> FramePlanes? {
        let limit = UInt64(truncatingIfNeeded: slotBytes)
        // Each is compared separately first, so their sum can't overflow.
        guard bytes0 <= limit, bytes1 <= limit, bytes2 <= limit, bytes0 &+ bytes1 &+ bytes2 <= limit else { return nil }
        var planes = FramePlanes()
        planes.set(0, offset: 0, byteCount: Int(truncatingIfNeeded: bytes0))
        planes.set(1, offset: 0, byteCount: Int(truncatingIfNeeded: bytes1))
        planes.set(2, offset: 0, byteCount: Int(truncatingIfNeeded: bytes2))
        for plane in 0..<3 where planes.byteCount(plane) > most.byteCount(plane) { return nil }
        return planes
    }
}
