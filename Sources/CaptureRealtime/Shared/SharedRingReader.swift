import CaptureBase
import Synchronization

/// Reading end of a ring in memory that another process writes. Everything in the memory is checked, and each entry is copied
/// before it is used. An entry that was overwritten meanwhile is never returned.
///
/// *realtime-safe*; one thread at a time
package struct SharedRingReader: ~Copyable, Sendable {
    private let calls: WakeEnd
    private let view: SharedView
    /// Position of the next entry.
    private var position: UInt64 = 0
    /// Entries overwritten since the last one that was read.
    private var lost: UInt64 = 0

    /// Takes ownership of both descriptors, even if it throws.
    ///
    /// - Parameters:
    ///   - memory: The ring's memory; closed when it is mapped.
    ///   - wake: Descriptor that wakes this reader; closed at the end.
    /// - Throws: EPROTO for memory that is not sealed, or that is not a ring.
    package init(memory: Int32, wake: Int32) throws(RealtimeFault) {
        let calls = WakeEnd(wake)
        view = try SharedView(memory)
        self.calls = calls
    }

    /// Reads a ring of this process.
    ///
    /// - Parameters:
    ///   - memory: The ring's memory; the writer keeps it.
    ///   - calls: Descriptor that wakes this reader; consumed.
    /// - Throws: The error of `fcntl`, or of mapping the memory.
    init(memory: Int32, called calls: consuming WakeEnd) throws(RealtimeFault) {
        view = try SharedView(try WakeEnd.duplicate(memory))
        self.calls = calls
    }

    /// Readable when there may be an entry or the end.
    package var wake: Int32 {
        @_noLocks @_noAllocation get { calls.descriptor }
    }

    package var geometry: SharedGeometry {
        @_noLocks @_noAllocation get { view.geometry }
    }

    /// True if there is an entry or the end to read. Check it before a wait: each entry wakes once, and its wake-up may have been
    /// cleared together with an earlier one.
    package var hasMore: Bool {
        @_noLocks @_noAllocation get {
            if view.written != position { return true }
            if case .some = view.end { return true }
            return false
        }
    }

    /// Copies the oldest entry that still exists. Never waits.
    ///
    /// - Parameters:
    ///   - memory: Memory for the payload. It may be written whatever the result is.
    ///   - planes: Position of each plane in it, and its maximum bytes. An entry with more breaks the rules.
    @_noLocks @_noAllocation
    package mutating func next(into memory: UnsafeMutableRawPointer, _ planes: FramePlanes) -> SharedRead {
        // Cleared before the check: a later wake-up stays, and an earlier entry is found. End of file means that the writer is
        // gone.
        let isOver = !calls.clear()
        let read = unsafe look(into: memory, planes)
        if isOver, case .nothing = read { return .ended(.lenderGone) }
        return read
    }

    @_noLocks @_noAllocation
    private mutating func look(into memory: UnsafeMutableRawPointer, _ planes: FramePlanes) -> SharedRead {
        // The end is read first: everything that was written before it is then visible.
        let end = view.end
        if let end, end.discards { return .ended(end) }
        // A writer that overtakes this reader again and again must not keep it in the loop.
        for _ in 0..<4 {
            let ahead = view.written &- position
            if ahead == 0 { break }
            // More than any writer could have written, so its counter went back.
            if ahead > 1 << 62 { return .ended(.brokenShare) }
            skip(ahead)
            switch unsafe copy(into: memory, planes) {
            case .torn: skip(UInt64(truncatingIfNeeded: view.geometry.slots &+ 1))
            case .broken: return .ended(.brokenShare)
            case .whole(let entry): return took(entry)
            }
        }
        guard let end else { return .nothing }
        return .ended(end)
    }

    /// Skips entries that the ring no longer holds.
    ///
    /// - Parameter ahead: Number of entries from the present position on.
    @_noLocks @_noAllocation
    private mutating func skip(_ ahead: UInt64) {
        let slots = UInt64(truncatingIfNeeded: view.geometry.slots)
        guard ahead > slots else { return }
        position &+= ahead &- slots
        lost &+= ahead &- slots
    }

    /// Moves past an entry, and discards it if the permission ended during the copy.
    @_noLocks @_noAllocation
    private mutating func took(_ entry: SharedEntry) -> SharedRead {
        if let end = view.end, end.discards { return .ended(end) }
        var entry = entry
        entry.lost = lost
        position &+= 1
        lost = 0
        return .entry(entry)
    }

    private enum Copy: BitwiseCopyable {
        case whole(SharedEntry)
        /// Overwritten before or during the copy.
        case torn
        /// Its numbers are impossible.
        case broken
    }

    /// Copies the entry at the present position between two readings of its lock.
    @_noLocks @_noAllocation
    private func copy(into memory: UnsafeMutableRawPointer, _ planes: FramePlanes) -> Copy {
        let slot = unsafe view.slot(position)
        let lock = position &* 2 &+ 2
        guard unsafe slot.acquiredWord(0) == lock else { return .torn }
        let header = unsafe SharedSlotHeader(slot)
        guard let found = header.planes(within: planes, slotBytes: view.geometry.slotBytes) else {
            return unsafe isStill(slot, lock) ? .broken : .torn
        }
        var source = unsafe slot + SharedGeometry.header
        for plane in 0..<3 {
            let count = found.byteCount(plane)
            unsafe (memory + planes.offset(plane)).copyMemory(from: source, byteCount: count)
            unsafe source += count
        }
        return unsafe isStill(slot, lock) ? .whole(SharedEntry(header, found)) : .torn
    }

    /// True if the lock has not changed, so the copy is complete.
    @_noLocks @_noAllocation
    private func isStill(_ slot: UnsafeRawPointer, _ lock: UInt64) -> Bool {
        // The lock's second reading must not come before the copy's.
        atomicMemoryFence(ordering: .acquiring)
        return unsafe slot.word(0) == lock
    }
}

/// Result of reading a shared ring.
///
/// *realtime-safe*
package enum SharedRead: BitwiseCopyable, Sendable {
    case entry(SharedEntry)
    /// Nothing to read now.
    case nothing
    /// There is nothing to read, and nothing will come.
    case ended(LoopResult)
}

/// Complete copy of an entry. Its sizes were checked; its other numbers are unchecked.
///
/// *realtime-safe*
package struct SharedEntry: BitwiseCopyable, Sendable {
    /// Number of its first frame; gaps are lost frames, whatever lost them.
    package let sequence: UInt64
    /// CLOCK_MONOTONIC in ns.
    package let timestamp: Int64
    package let flags: FrameFlags
    /// Bytes of each plane, at the position that the caller chose.
    package let planes: FramePlanes
    /// Entries that were overwritten directly before this one.
    package internal(set) var lost: UInt64 = 0

    @_noLocks @_noAllocation
    init(_ header: SharedSlotHeader, _ planes: FramePlanes) {
        sequence = header.sequence
        timestamp = Int64(bitPattern: header.timestamp)
        flags = FrameFlags(rawValue: UInt32(truncatingIfNeeded: header.flags))
        self.planes = planes
    }
}
