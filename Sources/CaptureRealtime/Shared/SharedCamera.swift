import CaptureBase

/// Camera that another process owns, read through a ring that was lent to this process. The session runs the same loop as for a
/// camera of this process.
///
/// Each frame is copied out of the ring, so the copy can't change, and the reader can keep it. Frames that the ring lost are gaps
/// in the sequence numbers, as with a driver.
///
/// *session-bound*; *realtime-safe* while its loop runs
@safe
package struct SharedCamera: ~Copyable, @unchecked Sendable {
    // `@unchecked Sendable`: `buffers` keeps the pointer's memory alive.
    package let format: CameraFormat
    package let buffers: FrameBuffers
    package var allowsRealtimePriority: Bool { true }

    private var reader: SharedRingReader
    /// Owner of the stream in this process; `nil` if another process lends it.
    private let lender: (any RingLender)?
    private let pollSet: PollSet
    /// Memory of ``buffers``, and the distance from one to the next.
    private let base: UnsafeMutableRawPointer
    private let stride: Int
    /// Positions of a frame's planes in a buffer, and their maximum bytes.
    private let places: FramePlanes
    /// Buffers to be filled, one bit each.
    private var free: UInt32 = 0
    /// Frame that was copied, but is delivered only after the change of the signal before it.
    private var held: DequeuedBuffer?
    private var signal = SignalState.present

    /// - Parameters:
    ///   - reader: Consumed.
    ///   - format: Format of the frames that the lender reported; checked here.
    ///   - lender: Closed with the source.
    /// - Throws: EPROTO or EFBIG for an impossible format; the error of `memfd_create`, `mmap` or `madvise`.
    package init(
        _ reader: consuming SharedRingReader, format: CameraFormat, of lender: (any RingLender)? = nil
    ) throws(RealtimeFault) {
        try format.check()
        guard format.layouts.allSatisfy({ $0.sizeImage > 0 }) else {
            throw RealtimeFault.brokenShare
        }
        let places = Self.places(format)
        let count = format.bufferCount(atMost: 8)
        let stride = (0..<format.planes).reduce(0) { $0 + SharedGeometry.pages(places.byteCount($1)) }
        let base = try unsafe SharedMemory.reserve(byteCount: count * stride, name: "capture-copy")
        let buffers = try unsafe Self.buffers(format, places, base, count, stride)
        pollSet = PollSet(reading: reader.wake)
        unsafe self.base = base
        self.stride = stride
        self.buffers = buffers
        self.places = places
        self.format = format
        self.lender = lender
        self.reader = reader
    }

    deinit { lender?.close() }

    /// Planes one after another, each at the beginning of a page.
    private static func places(_ format: CameraFormat) -> FramePlanes {
        var (places, offset) = (FramePlanes(), 0)
        for plane in 0..<format.planes {
            places.set(plane, offset: offset, byteCount: format.sizeImage(plane: plane))
            offset += SharedGeometry.pages(format.sizeImage(plane: plane))
        }
        return places
    }

    /// The buffers in one piece of memory; each plane is unmapped by itself.
    private static func buffers(
        _ format: CameraFormat, _ places: FramePlanes, _ base: UnsafeMutableRawPointer, _ count: Int, _ stride: Int
    ) throws(RealtimeFault) -> FrameBuffers {
        try unsafe FrameBuffers(count: count, planes: format.planes) { (buffer, plane) throws(RealtimeFault) in
            unsafe UnsafeMutableRawBufferPointer(
                start: base + buffer * stride + places.offset(plane), count: places.byteCount(plane))
        }
    }
}

extension SharedCamera {
    /// Does nothing: the lender controls the device.
    @_noLocks @_noAllocation
    package mutating func start() -> RealtimeFault? { nil }

    @_noLocks @_noAllocation
    package mutating func stop() {
        free = 0
        held = nil
    }

    @_noLocks @_noAllocation
    package mutating func queue(_ buffer: Int) -> RealtimeFault? {
        free |= 1 << UInt32(truncatingIfNeeded: buffer)
        return nil
    }

    @_noLocks @_noAllocation
    package mutating func wait(control: Int32, milliseconds: Int32) -> SourceWakeup {
        if case .some = held { return .ready }
        if reader.hasMore { return .ready }
        let called = pollSet.wait(control: control, milliseconds: milliseconds)
        if called < 0 { return .failed(RealtimeFault(.poll, result: called)) }
        return called == 0 ? .quiet : pollSet.wakeup()
    }

    @_noLocks @_noAllocation
    package mutating func pause(control: Int32, milliseconds: Int32) {
        pollSet.pause(control: control, milliseconds: milliseconds)
    }

    /// Copies the next frame. If the signal has changed before it, reports the change first.
    @_noLocks @_noAllocation
    package mutating func dequeue() -> DequeueResult {
        if let buffer = held {
            held = nil
            return .buffer(buffer)
        }
        guard free != 0 else { return .nothing }
        let index = free.trailingZeroBitCount
        switch unsafe reader.next(into: base + index &* stride, places) {
        case .nothing: return .nothing
        case .ended(let result): return .ended(result.ofLender)
        case .entry(let entry):
            free &= ~(1 << UInt32(truncatingIfNeeded: index))
            return took(DequeuedBuffer(index, entry), entry.signal)
        }
    }

    @_noLocks @_noAllocation
    private mutating func took(_ buffer: DequeuedBuffer, _ now: SignalState) -> DequeueResult {
        guard now.code != signal.code else { return .buffer(buffer) }
        signal = now
        held = buffer
        return .news(.state(now))
    }
}

extension DequeuedBuffer {
    /// Frame that was copied to a buffer. Its timestamp is that of the frame's beginning.
    @_noLocks @_noAllocation
    init(_ index: Int, _ entry: SharedEntry) {
        self.init(
            index: index, sequence: UInt32(truncatingIfNeeded: entry.sequence), timestamp: entry.timestamp,
            isFlagged: false, planes: entry.planes)
        // V4L2_FIELD_BOTTOM and V4L2_FIELD_TOP.
        field = entry.flags.holds(FrameFlags.bottomField) ? 3 : 2
    }
}

extension SharedEntry {
    /// State of the signal, as shown by the flags.
    var signal: SignalState {
        @_noLocks @_noAllocation get {
            if flags.holds(FrameFlags.covered) { return .covered }
            return flags.holds(FrameFlags.noSignal) ? .noSignal : .present
        }
    }
}

extension LoopResult {
    /// Outcome for the borrower: a lender that stops without a request has withdrawn the device.
    var ofLender: LoopResult {
        @_noLocks @_noAllocation get {
            if case .stopped = end { return LoopResult(.deviceGone) }
            return self
        }
    }
}
