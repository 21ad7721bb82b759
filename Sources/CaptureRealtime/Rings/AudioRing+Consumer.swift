import CaptureBase
import Synchronization

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
