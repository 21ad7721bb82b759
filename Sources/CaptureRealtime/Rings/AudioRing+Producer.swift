import CaptureBase
import Synchronization

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
