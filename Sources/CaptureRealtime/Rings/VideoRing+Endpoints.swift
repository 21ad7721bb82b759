import CaptureBase
import Synchronization

extension VideoRing {
    /// The writing end, for the capture thread alone.
    ///
    /// *realtime-safe*
    @safe
    public struct Producer: ~Copyable, @unchecked Sendable {
        // Sendable by hand because of the pointer, which the owner keeps alive.
        private let owner: VideoRingOwner
        private let core: UnsafeMutablePointer<VideoRingCore>
        private let word: CommitWord
        private var tail: UInt64 = 0
        private var returnedHead: UInt64 = 0
        private var hasEnded = false

        init(_ owner: VideoRingOwner, _ word: CommitWord) {
            self.owner = owner
            unsafe core = owner.core
            self.word = word
        }

        /// A buffer that the reader gave back, or -1.
        @_noLocks @_noAllocation
        public mutating func takeReturned() -> Int {
            guard unsafe returnedHead != core.pointee.returnedCount() else { return -1 }
            let buffer = unsafe core.pointee.returned(returnedHead)
            returnedHead &+= 1
            return buffer
        }

        /// Takes the oldest unread picture away from the reader.
        ///
        /// - Parameter counters: Where it moves from delivered to lost.
        /// - Returns: Its buffer, or -1 when nothing is unread.
        @_noLocks @_noAllocation
        public mutating func steal(_ counters: RealtimeCounters) -> Int {
            guard let oldest = unsafe core.pointee.takeOldest(of: word.committed()) else { return -1 }
            unsafe counters.tookBack(core.pointee.slot(oldest.buffer).header)
            return oldest.buffer
        }

        /// Publishes a filled buffer.
        ///
        /// - Parameter header: With running totals of loss.
        /// - Returns: False when the loop was asked to stop: nothing was published, and never will be.
        @_noLocks @_noAllocation
        public mutating func commit(_ buffer: Int, _ header: FrameHeader, _ planes: FramePlanes) -> Bool {
            unsafe core.pointee.set(VideoSlot(header, planes), for: buffer)
            unsafe core.pointee.setEntry(tail, buffer)
            guard word.commit(after: tail) else { return false }
            tail &+= 1
            unsafe core.pointee.wakeReader(committed: tail)
            return true
        }

        /// Tells the reader that nothing more will come, and why. After a revocation what is unread is taken away, so
        /// that the device's memory is not kept any longer than the reader's present look at it.
        public mutating func finish(_ result: LoopResult, _ counters: RealtimeCounters) {
            hasEnded = true
            let discarding = result.end == .revoked || result.end == .expired
            while discarding, steal(counters) >= 0 {}
            let mustUnmap = unsafe core.pointee.ownership.end(discarding: discarding)
            if mustUnmap { unsafe core.pointee.buffers.unmap() }
            unsafe core.pointee.completion.end(result)
        }

        /// Ends the ring for its reader while the producer hangs in a call to the device.
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
    /// The reading end.
    ///
    /// *session-bound*
    @safe
    public struct Consumer: ~Copyable, FrameReader, @unchecked Sendable {
        // Sendable by hand because of the pointer, which the owner keeps alive.
        private let owner: VideoRingOwner
        private let core: UnsafeMutablePointer<VideoRingCore>
        private let word: CommitWord
        /// The position after the last unit read, and the totals in its header.
        private var next: UInt64 = 0
        private var totals = Loss()
        private var given: UInt64 = 0

        init(_ owner: VideoRingOwner, _ word: CommitWord) {
            self.owner = owner
            unsafe core = owner.core
            self.word = word
        }

        public var readySignal: Int32 { unsafe core.pointee.completion.signal.descriptor }
        public var ended: LoopResult? { unsafe core.pointee.completion.result }
        public var unread: Int {
            // The head first: it can only have grown towards the tail read after it.
            let head = unsafe core.pointee.head.value.load(ordering: .acquiring)
            return Int(word.committed() &- head)
        }
        public var wakeAfter = 1
        public func clearSignal() {
            // Two stay with the device.
            let frames = min(wakeAfter, max(1, unsafe core.pointee.buffers.count / 2 - 1))
            let head = unsafe core.pointee.head.value.load(ordering: .acquiring)
            unsafe core.pointee.completion.clear(until: head &+ UInt64(frames))
        }

        public mutating func withNext<Result, Failure: Error>(
            _ body: (FrameHeader, RawSpan) throws(Failure) -> Result
        ) throws(Failure) -> Result? {
            try withNextPlanes { (header, first, _, _) throws(Failure) in try body(header, first) }
        }

        /// As ``withNext(_:)``, for formats that lie in several memory planes; absent planes are empty.
        public mutating func withNextPlanes<Result, Failure: Error>(
            _ body: (FrameHeader, RawSpan, RawSpan, RawSpan) throws(Failure) -> Result
        ) throws(Failure) -> Result? {
            guard unsafe core.pointee.ownership.enter() else {
                clearSignal()
                return nil
            }
            // What stays unmapped here would keep the device open.
            defer { if unsafe core.pointee.ownership.leave() { unsafe core.pointee.buffers.unmap() } }
            guard let (buffer, position) = take() else { return nil }
            defer { giveBack(buffer) }
            let slot = unsafe core.pointee.slot(buffer)
            return try unsafe body(
                header(slot, at: position), plane(0, of: buffer, slot).bytes, plane(1, of: buffer, slot).bytes,
                plane(2, of: buffer, slot).bytes)
        }

        private mutating func take() -> (Int, UInt64)? {
            // The end first: what was committed before it is then seen for certain.
            let isLast = ended != nil
            if let oldest = unsafe core.pointee.takeOldest(of: word.committed()) { return oldest }
            clearSignal()
            guard !isLast else {
                unsafe core.pointee.ownership.close()
                return nil
            }
            return unsafe core.pointee.takeOldest(of: word.committed())
        }

        /// Totals become differences; a jump of the position is what the producer took away.
        private mutating func header(_ slot: VideoSlot, at position: UInt64) -> FrameHeader {
            var header = slot.header
            header.lost = header.lost.since(totals)
            header.lost.ring += position &- next
            totals = slot.header.lost
            next = position &+ 1
            return header
        }

        private func plane(_ plane: Int, of buffer: Int, _ slot: VideoSlot) -> UnsafeRawBufferPointer {
            guard unsafe plane < core.pointee.buffers.planes,
                let address = unsafe core.pointee.buffers.address(buffer, plane: plane)
            else {
                return unsafe UnsafeRawBufferPointer(start: nil, count: 0)
            }
            let start = unsafe UnsafeRawPointer(address) + slot.planes.offset(plane)
            return unsafe UnsafeRawBufferPointer(start: start, count: slot.planes.byteCount(plane))
        }

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
