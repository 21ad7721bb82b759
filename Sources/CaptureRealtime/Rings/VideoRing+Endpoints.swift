import CaptureBase
import Synchronization

extension VideoRing {
    /// Writing end of a video ring, for the capture thread only.
    ///
    /// *realtime-safe*
    @safe
    public struct Producer: ~Copyable, @unchecked Sendable {
        // `@unchecked Sendable`: `owner` keeps the pointer's memory alive.
        private let owner: VideoRingOwner
        private let core: UnsafeMutablePointer<VideoRingCore>
        private let word: CommitWord
        private var tail: UInt64 = 0
        /// Number of returned buffers taken so far.
        private var returnedHead: UInt64 = 0
        private var hasEnded = false

        init(_ owner: VideoRingOwner, _ word: CommitWord) {
            self.owner = owner
            unsafe core = owner.core
            self.word = word
        }

        /// Takes a buffer that the reader returned, or -1.
        @_noLocks @_noAllocation
        public mutating func takeReturned() -> Int {
            guard unsafe returnedHead != core.pointee.returnedCount() else { return -1 }
            let buffer = unsafe core.pointee.returned(returnedHead)
            returnedHead &+= 1
            return buffer
        }

        /// Takes the oldest unread frame from the reader.
        ///
        /// - Parameter counters: Moves the frame from delivered to lost.
        /// - Returns: Its buffer, or -1 when nothing is unread.
        @_noLocks @_noAllocation
        public mutating func steal(_ counters: RealtimeCounters) -> Int {
            guard let oldest = unsafe core.pointee.takeOldest(of: word.committed()) else { return -1 }
            unsafe counters.tookBack(core.pointee.slot(oldest.buffer).header)
            return oldest.buffer
        }

        /// Publishes a filled buffer.
        ///
        /// - Parameters:
        ///   - buffer: Number of the buffer.
        ///   - header: With running totals of loss.
        ///   - planes: Position of the payload in the buffer.
        /// - Returns: False if a stop was requested: nothing is published, now or later.
        @_noLocks @_noAllocation
        public mutating func commit(_ buffer: Int, _ header: FrameHeader, _ planes: FramePlanes) -> Bool {
            unsafe core.pointee.set(VideoSlot(header, planes), for: buffer)
            unsafe core.pointee.setEntry(tail, buffer)
            guard word.commit(after: tail) else { return false }
            tail &+= 1
            unsafe core.pointee.wakeReader(committed: tail)
            return true
        }

        /// Ends the ring for its reader, with the reason. After a revocation unread frames are removed, so that the device's
        /// memory stays mapped only until the reader has finished its current frame.
        public mutating func finish(_ result: LoopResult, _ counters: RealtimeCounters) {
            hasEnded = true
            let discarding = result.end == .revoked || result.end == .expired
            while discarding, steal(counters) >= 0 {}
            let mustUnmap = unsafe core.pointee.ownership.end(discarding: discarding)
            if mustUnmap { unsafe core.pointee.buffers.unmap() }
            unsafe core.pointee.completion.end(result)
        }

        /// Ends the ring for its reader while the producer hangs in a call to the device. Keeps a reference to the owner: the ring
        /// must outlive the call.
        var giveUp: @Sendable (LoopResult) -> Void {
            { [owner] result in unsafe owner.core.pointee.completion.end(result) }
        }

        deinit {
            guard !hasEnded else { return }
            // A producer that never ran must not leave its reader waiting.
            if unsafe core.pointee.ownership.end(discarding: false) { unsafe core.pointee.buffers.unmap() }
            unsafe core.pointee.completion.end(LoopResult(.stopped))
        }
    }
}

extension VideoRing {
    /// Reading end of a video ring.
    ///
    /// *session-bound*
    @safe
    public struct Consumer: ~Copyable, FrameReader, @unchecked Sendable {
        // `@unchecked Sendable`: `owner` keeps the pointer's memory alive.
        private let owner: VideoRingOwner
        private let core: UnsafeMutablePointer<VideoRingCore>
        private let word: CommitWord
        /// Position after the last frame read, and the totals in its header.
        private var next: UInt64 = 0
        private var totals = Loss()
        /// Number of buffers returned so far.
        private var given: UInt64 = 0

        init(_ owner: VideoRingOwner, _ word: CommitWord) {
            self.owner = owner
            unsafe core = owner.core
            self.word = word
        }

        public var readySignal: Int32 { unsafe core.pointee.completion.signal.descriptor }
        public var ended: LoopResult? { unsafe core.pointee.completion.result }
        public var unread: Int {
            // The head is read first: the tail read after it can only have grown.
            let head = unsafe core.pointee.head.value.load(ordering: .acquiring)
            return Int(word.committed() &- head)
        }
        public var wakeAfter = 1
        public func clearSignal() {
            // Half of the buffers, minus the two that stay with the device.
            let frames = min(wakeAfter, max(1, unsafe core.pointee.buffers.count / 2 - 1))
            let head = unsafe core.pointee.head.value.load(ordering: .acquiring)
            unsafe core.pointee.completion.clear(until: head &+ UInt64(frames))
        }

        public mutating func withNext<Result, Failure: Error>(
            _ body: (FrameHeader, RawSpan) throws(Failure) -> Result
        ) throws(Failure) -> Result? {
            try withNextPlanes { (header, first, _, _) throws(Failure) in try body(header, first) }
        }

        /// Reads like ``withNext(_:)``, for formats with several memory planes; absent planes are empty.
        public mutating func withNextPlanes<Result, Failure: Error>(
            _ body: (FrameHeader, RawSpan, RawSpan, RawSpan) throws(Failure) -> Result
        ) throws(Failure) -> Result? {
            guard unsafe core.pointee.ownership.enter() else {
                clearSignal()
                return nil
            }
            // Buffers that stayed mapped here would keep the device open.
            defer { if unsafe core.pointee.ownership.leave() { unsafe core.pointee.buffers.unmap() } }
            guard let (buffer, position) = take() else { return nil }
            defer { giveBack(buffer) }
            let slot = unsafe core.pointee.slot(buffer)
            return try unsafe body(
                header(slot, at: position), plane(0, of: buffer, slot).bytes, plane(1, of: buffer, slot).bytes,
                plane(2, of: buffer, slot).bytes)
        }

        /// Takes the oldest frame, which the producer may steal at the same moment.
        private mutating func take() -> (Int, UInt64)? {
            // The end is read first: everything that was committed before it is then visible.
            let isLast = ended != nil
            if let oldest = unsafe core.pointee.takeOldest(of: word.committed()) { return oldest }
            clearSignal()
            guard !isLast else {
                unsafe core.pointee.ownership.close()
                return nil
            }
            return unsafe core.pointee.takeOldest(of: word.committed())
        }

        /// Turns totals into differences. If the position has jumped, the difference is the number of frames that the producer
        /// took back.
        private mutating func header(_ slot: VideoSlot, at position: UInt64) -> FrameHeader {
            var header = slot.header
            header.lost = header.lost.since(totals)
            header.lost.ring += position &- next
            totals = slot.header.lost
            next = position &+ 1
            return header
        }

        /// Memory of a plane; empty if the format has no such plane.
        private func plane(_ plane: Int, of buffer: Int, _ slot: VideoSlot) -> UnsafeRawBufferPointer {
            guard unsafe plane < core.pointee.buffers.planes,
                let address = unsafe core.pointee.buffers.address(buffer, plane: plane)
            else {
                return unsafe UnsafeRawBufferPointer(start: nil, count: 0)
            }
            let start = unsafe UnsafeRawPointer(address) + slot.planes.offset(plane)
            return unsafe UnsafeRawBufferPointer(start: start, count: slot.planes.byteCount(plane))
        }

        /// Returns the buffer to the producer. Releasing: all reads of the buffer happen before.
        private mutating func giveBack(_ buffer: Int) {
            unsafe core.pointee.returned[Int(given % 32)].store(UInt64(buffer), ordering: .relaxed)
            given &+= 1
            unsafe core.pointee.returnedTail.value.store(given, ordering: .releasing)
        }

        deinit {
            if unsafe core.pointee.ownership.abandon() { unsafe core.pointee.buffers.unmap() }
        }
    }
}
