import CaptureBase
import Synchronization

/// Writing end of a ring in memory that is shared with one reader in another process. It never waits: a slow reader loses the
/// oldest entries, and one that never reads causes no harm. The writer never reads the memory.
///
/// A slot's first word is a sequence lock: 2p + 1 while the entry of position p is written, and 2p + 2 afterwards.
///
/// *realtime-safe*; one thread at a time
package struct SharedRingWriter: ~Copyable, Sendable {
    private let pages: SharedPages
    private let wakeup: WakePipe
    /// Position of the next entry.
    private var position: UInt64 = 0
    private var hasEnded = false

    /// - Throws: The error of `memfd_create`, `mmap`, `madvise`, `fcntl` or `pipe2`.
    package init(_ geometry: SharedGeometry) throws(RealtimeFault) {
        let pages = try SharedPages(geometry)
        let wakeup = try WakePipe()
        self.pages = pages
        self.wakeup = wakeup
    }

    package var geometry: SharedGeometry { pages.geometry }

    /// Descriptor of the memory, to be sent to the reader; the writer keeps it.
    package var memory: Int32 { pages.descriptor }

    /// Descriptor that wakes the reader, to be sent to it; the writer keeps it.
    package var wake: Int32 { wakeup.reader }

    /// Number of entries written so far.
    package var written: UInt64 { position }

    /// Writes an entry, and wakes the reader.
    ///
    /// - Parameters:
    ///   - header: Its losses are not written: the reader computes them from the sequence.
    ///   - payload: Planes in their order; missing planes are empty.
    /// - Returns: False if nothing was written: the ring has ended, or the payload is larger than a slot.
    @_noLocks @_noAllocation @discardableResult
    package mutating func write(_ header: FrameHeader, _ payload: SharedPayload) -> Bool {
        let planes = payload.planes
        guard !hasEnded, planes.total <= pages.geometry.slotBytes else { return false }
        let slot = unsafe pages.slot(position)
        unsafe slot.setWord(0, position &* 2 &+ 1)
        // A full fence, not only for stores: large copies bypass the cache, and may overtake an earlier store.
        atomicMemoryFence(ordering: .sequentiallyConsistent)
        unsafe SharedSlotHeader(header, planes).store(slot)
        unsafe payload.copy(to: slot + SharedGeometry.header)
        unsafe slot.releaseWord(0, position &* 2 &+ 2)
        position &+= 1
        unsafe pages.base.releaseWord(SharedWord.written, position)
        wakeup.call()
        return true
    }

    /// Writes an entry of the planes that a ring lends.
    @discardableResult
    package mutating func write(
        _ header: FrameHeader, _ first: RawSpan, _ second: RawSpan = RawSpan(), _ third: RawSpan = RawSpan()
    ) -> Bool {
        unsafe first.withUnsafeBytes { first in
            unsafe second.withUnsafeBytes { second in
                unsafe third.withUnsafeBytes { third in
                    unsafe write(header, SharedPayload(first, second, third))
                }
            }
        }
    }

    /// Ends the ring for its reader. If the permission ended, the whole ring is zeroed. Otherwise unread entries can still be
    /// read.
    package mutating func finish(_ result: LoopResult) {
        if result.discards { scrub(result) } else { end(result) }
    }

    /// Ends the ring and zeroes all slots, so that nothing can be read any more. Takes as long as writing all slots.
    package mutating func scrub(_ result: LoopResult) {
        end(result)
        pages.zero(position)
    }

    /// Stores the outcome. Only the first one counts.
    private mutating func end(_ result: LoopResult) {
        guard !hasEnded else { return }
        hasEnded = true
        pages.end(result)
        wakeup.call()
    }

    deinit {
        // The memory still exists in the reader's mapping.
        if !hasEnded {
            pages.end(LoopResult(.stopped))
            wakeup.call()
        }
        pages.zero(position)
    }
}

/// Payload of an entry, lent while it is written.
///
/// *realtime-safe*
@safe
package struct SharedPayload: BitwiseCopyable {
    private let first, second, third: UnsafeRawBufferPointer

    @_noLocks @_noAllocation
    package init(
        _ first: UnsafeRawBufferPointer, _ second: UnsafeRawBufferPointer, _ third: UnsafeRawBufferPointer
    ) {
        unsafe self.first = first
        unsafe self.second = second
        unsafe self.third = third
    }

    var planes: FramePlanes {
        @_noLocks @_noAllocation get {
            var planes = FramePlanes()
            planes.set(0, offset: 0, byteCount: unsafe first.count)
            planes.set(1, offset: 0, byteCount: unsafe second.count)
            planes.set(2, offset: 0, byteCount: unsafe third.count)
            return planes
        }
    }

    /// Copies the planes, one after another.
    @_noLocks @_noAllocation
    func copy(to target: UnsafeMutableRawPointer) {
        unsafe Self.put(first, target)
        unsafe Self.put(second, target + first.count)
        unsafe Self.put(third, target + (first.count &+ second.count))
    }

    @_noLocks @_noAllocation
    private static func put(_ plane: UnsafeRawBufferPointer, _ target: UnsafeMutableRawPointer) {
        guard let base = plane.baseAddress else { return }
        unsafe target.copyPast(base, plane.count)
    }
}
