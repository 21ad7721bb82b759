import CaptureBase
import Synchronization

/// The reading end of a ring in memory that another process writes. All that the memory says is checked, and each entry is
/// copied before it is believed: one that was written meanwhile is never handed out.
///
/// *realtime-safe*; one thread at a time
package struct SharedRingReader: ~Copyable, Sendable {
    private let calls: WakeEnd
    private let view: SharedView
    /// Position of the next entry.
    private var position: UInt64 = 0
    /// Entries overwritten since the last one that was read.
    private var lost: UInt64 = 0

    /// Takes over both descriptors, whatever comes of it.
    ///
    /// - Parameters:
    ///   - memory: The ring's memory; closed when it is mapped.
    ///   - wake: The descriptor that calls this reader; closed at the end.
    /// - Throws: EPROTO for memory that is not sealed, or that is no ring.
    package init(memory: Int32, wake: Int32) throws(RealtimeFault) {
        let calls = WakeEnd(wake)
        view = try SharedView(memory)
        self.calls = calls
    }

    /// Reads a ring of this process.
    ///
    /// - Parameters:
    ///   - memory: The ring's memory; stays the writer's.
    ///   - calls: Descriptor that calls this reader; consumed.
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

    /// True if there is more to read, or the end. To be asked before a wait: an entry calls once, and its call may have been
    /// taken with that of the one before it.
    package var hasMore: Bool {
        @_noLocks @_noAllocation get {
            if view.written != position { return true }
            if case .some = view.end { return true }
            return false
        }
    }

    /// Copies the oldest entry that is still there. Never waits.
    ///
    /// - Parameters:
    ///   - memory: Memory for the payload. It may be written whatever the result is.
    ///   - planes: Where each plane belongs in it, and its most bytes. An entry with more is a breach of the law.
    @_noLocks @_noAllocation
    package mutating func next(into memory: UnsafeMutableRawPointer, _ planes: FramePlanes) -> SharedRead {
        // Cleared before the look: a call after it stays, one before it is seen. An empty reading is the writer's death.
        let isOver = !calls.clear()
        let read = unsafe look(into: memory, planes)
        if isOver, case .nothing = read { return .ended(.lenderGone) }
        return read
    }

    @_noLocks @_noAllocation
    private mutating func look(into memory: UnsafeMutableRawPointer, _ planes: FramePlanes) -> SharedRead {
        // The end is read first: all that was written before it is then seen.
        let end = view.end
        if let end, end.discards { return .ended(end) }
        // A writer that laps this reader again and again must not keep it here.
        for _ in 0..<4 {
            let ahead = view.written &- position
            if ahead == 0 { break }
            // More than all that a writer could have written: it went back.
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

    /// Leaves out what the ring can't hold any more.
    ///
    /// - Parameter ahead: Entries from the present position on.
    @_noLocks @_noAllocation
    private mutating func skip(_ ahead: UInt64) {
        let slots = UInt64(truncatingIfNeeded: view.geometry.slots)
        guard ahead > slots else { return }
        position &+= ahead &- slots
        lost &+= ahead &- slots
    }

    /// Moves on behind an entry. A permission that ended during the copy takes it back.
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

    /// Copies the entry at the present position between two looks at its lock.
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

    /// True if the lock has not moved: what was copied before is whole.
    @_noLocks @_noAllocation
    private func isStill(_ slot: UnsafeRawPointer, _ lock: UInt64) -> Bool {
        // The lock's second reading must not come before the copy's.
        atomicMemoryFence(ordering: .acquiring)
        return unsafe slot.word(0) == lock
    }
}

/// Result of looking into a shared ring.
///
/// *realtime-safe*
package enum SharedRead: BitwiseCopyable, Sendable {
    case entry(SharedEntry)
    /// Nothing to read now.
    case nothing
    /// There is nothing to read, and never will be.
    case ended(LoopResult)
}

/// An entry that was copied whole. Its bytes fit; its other numbers are the writer's word.
///
/// *realtime-safe*
package struct SharedEntry: BitwiseCopyable, Sendable {
    /// Number of its first frame; holes are lost frames, whoever lost them.
    package let sequence: UInt64
    /// CLOCK_MONOTONIC in ns.
    package let timestamp: Int64
    package let flags: FrameFlags
    /// Bytes of each plane, which begins where the caller had it.
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
