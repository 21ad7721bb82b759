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
