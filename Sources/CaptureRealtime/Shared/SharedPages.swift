import CMedia
import CaptureBase
import Synchronization

/// Writer's memory of a shared ring: its mapping is the only one that can ever be written.
///
/// The seals forbid everybody to shrink or grow the memory, and to write to it except through this mapping, which is older than
/// the seals. They can't be removed. So a reader can't change what others read, nor crash the writer by truncating the memory.
///
/// *session-bound*
@safe
package struct SharedPages: ~Copyable, @unchecked Sendable {
    // `@unchecked Sendable`: only this value owns the pointer.
    package let geometry: SharedGeometry
    /// Descriptor to send to the reader.
    package let descriptor: Int32
    let base: UnsafeMutableRawPointer

    /// Reserves the memory, and writes the ring's sizes into it. The corresponding C functions are `memfd_create`, `mmap` and
    /// `fcntl` with F_ADD_SEALS.
    ///
    /// - Throws: The error of either call.
    package init(_ geometry: SharedGeometry) throws(RealtimeFault) {
        let descriptor = try unsafe checked(.memory, cm_memfd("capture-share", Int64(geometry.byteCount)))
        do throws(RealtimeFault) {
            unsafe base = try unsafe Self.map(descriptor, geometry)
        } catch {
            _ = cm_close(descriptor)
            throw error
        }
        self.descriptor = descriptor
        self.geometry = geometry
    }

    /// Maps, populates and seals the memory.
    private static func map(
        _ descriptor: Int32, _ geometry: SharedGeometry
    ) throws(RealtimeFault) -> UnsafeMutableRawPointer {
        var address: UnsafeMutableRawPointer?
        let mapped = unsafe cm_map(descriptor, 0, Int64(geometry.byteCount), &address)
        guard mapped >= 0, let base = unsafe address else { throw RealtimeFault(.mapBuffer, result: mapped) }
        do throws(RealtimeFault) {
            let populated = unsafe SharedMemory.populate(base, geometry.byteCount)
            guard populated >= 0 else { throw RealtimeFault(.populate, result: populated) }
            _ = try checked(.lendMemory, cm_add_seals(descriptor, CM_SEALS_LENT))
        } catch {
            _ = unsafe cm_unmap(base, Int64(geometry.byteCount))
            throw error
        }
        unsafe base.setWord(SharedWord.slots, UInt64(geometry.slots))
        unsafe base.setWord(SharedWord.slotBytes, UInt64(geometry.slotBytes))
        unsafe base.setWord(SharedWord.form, SharedWord.magic)
        return unsafe base
    }

    @_noLocks @_noAllocation
    func slot(_ position: UInt64) -> UnsafeMutableRawPointer {
        unsafe base + geometry.offset(position)
    }

    /// Stores the outcome of the stream.
    func end(_ result: LoopResult) {
        unsafe base.releaseWord(SharedWord.end, result.packed)
    }

    /// Zeroes the slots that were written.
    ///
    /// - Parameter written: Entries written so far.
    func zero(_ written: UInt64) {
        for position in 0..<min(written, UInt64(geometry.slots)) {
            let slot = unsafe slot(position)
            // A reader that copies it now finds that it is torn.
            unsafe slot.setWord(0, 1)
            atomicMemoryFence(ordering: .sequentiallyConsistent)
            unsafe slot.setWord(8, 0)
            unsafe cm_zero_past(slot + 16, Int64(geometry.stride - 16))
            unsafe slot.releaseWord(0, 0)
        }
    }

    deinit {
        _ = unsafe cm_unmap(base, Int64(geometry.byteCount))
        _ = cm_close(descriptor)
    }
}

/// Reader's memory of a shared ring: mapped read-only, and never trusted.
///
/// *session-bound*
@safe
package struct SharedView: ~Copyable, @unchecked Sendable {
    // `@unchecked Sendable`: only this value owns the pointer.
    /// Sizes that were read and checked when the memory was mapped.
    package let geometry: SharedGeometry
    let base: UnsafeRawPointer

    /// Checks memory that another process lent, and maps it.
    ///
    /// - Parameter descriptor: Closed in any case, since it is not needed afterwards.
    /// - Throws: EPROTO for memory that another process could change or truncate, or that is not a ring.
    package init(_ descriptor: Int32) throws(RealtimeFault) {
        defer { _ = cm_close(descriptor) }
        let seals = try checked(.lendMemory, cm_seals(descriptor))
        guard seals & CM_SEALS_LENT == CM_SEALS_LENT else { throw RealtimeFault.brokenShare }
        // The size can't change any more.
        let size = try checked(.lendMemory, cm_size(descriptor))
        guard (SharedGeometry.page...1 << 31).contains(size) else { throw RealtimeFault.brokenShare }
        var address: UnsafeRawPointer?
        let mapped = unsafe cm_map_read(descriptor, Int64(size), &address)
        guard mapped >= 0, let base = unsafe address else { throw RealtimeFault(.mapBuffer, result: mapped) }
        guard let geometry = unsafe Self.geometry(base), geometry.byteCount == size else {
            _ = unsafe cm_unmap(base, Int64(size))
            throw RealtimeFault.brokenShare
        }
        self.geometry = geometry
        unsafe self.base = base
    }

    /// Reads each word once: a writer could change it between two readings.
    private static func geometry(_ base: UnsafeRawPointer) -> SharedGeometry? {
        guard unsafe base.word(SharedWord.form) == SharedWord.magic else { return nil }
        let (slots, bytes) = unsafe (base.word(SharedWord.slots), base.word(SharedWord.slotBytes))
        return try? SharedGeometry(slots: Int(clamping: slots), slotBytes: Int(clamping: bytes))
    }

    @_noLocks @_noAllocation
    func slot(_ position: UInt64) -> UnsafeRawPointer {
        unsafe base + geometry.offset(position)
    }

    /// Number of entries written so far. Acquiring: they can be read.
    var written: UInt64 {
        @_noLocks @_noAllocation get { unsafe base.acquiredWord(SharedWord.written) }
    }

    /// Outcome of the stream; `nil` while it runs. An invalid word is an end, too, since the writer is broken.
    var end: LoopResult? {
        @_noLocks @_noAllocation get {
            let word = unsafe base.acquiredWord(SharedWord.end)
            if word == 0 { return nil }
            return LoopResult(packed: word) ?? .brokenShare
        }
    }

    deinit {
        _ = unsafe cm_unmap(base, Int64(geometry.byteCount))
    }
}

extension RealtimeFault {
    /// Error for memory from another process that is not a ring or not sealed, or that breaks the ring's rules.
    static var brokenShare: RealtimeFault {
        @_noLocks @_noAllocation get { RealtimeFault(.lendMemory, result: 0 &- EPROTO) }
    }
}

extension LoopResult {
    /// Outcome if the other process breaks the ring's rules.
    static var brokenShare: LoopResult {
        @_noLocks @_noAllocation get { LoopResult(.failed, fault: RealtimeFault.brokenShare) }
    }

    /// Outcome if the other process has ended, and its device with it.
    package static var lenderGone: LoopResult {
        @_noLocks @_noAllocation get { LoopResult(.deviceGone, fault: RealtimeFault(.lendMemory, result: 0 &- EPIPE)) }
    }

    /// True if unread frames must not be read any more, since the permission has ended.
    var discards: Bool {
        @_noLocks @_noAllocation get {
            switch end {
            case .revoked, .expired: true
            case .stopped, .deviceGone, .stalled, .failed, .signalChanged: false
            }
        }
    }
}

// Words that two processes use at once are atomic, each of 64 bits at an offset that is a multiple of 8.

extension UnsafeRawPointer {
    @_noLocks @_noAllocation
    func word(_ offset: Int) -> UInt64 {
        unsafe (self + offset).assumingMemoryBound(to: Atomic<UInt64>.self).pointee.load(ordering: .relaxed)
    }

    @_noLocks @_noAllocation
    func acquiredWord(_ offset: Int) -> UInt64 {
        unsafe (self + offset).assumingMemoryBound(to: Atomic<UInt64>.self).pointee.load(ordering: .acquiring)
    }
}

extension UnsafeMutableRawPointer {
    /// Copies past this processor's caches, since another processor will read it.
    @_noLocks @_noAllocation
    func copyPast(_ source: UnsafeRawPointer, _ byteCount: Int) {
        unsafe cm_copy_past(self, source, Int64(byteCount))
    }

    @_noLocks @_noAllocation
    func setWord(_ offset: Int, _ value: UInt64) {
        unsafe (self + offset).assumingMemoryBound(to: Atomic<UInt64>.self).pointee.store(value, ordering: .relaxed)
    }

    /// Releasing: a thread that acquires the value sees everything that was written before.
    @_noLocks @_noAllocation
    func releaseWord(_ offset: Int, _ value: UInt64) {
        unsafe (self + offset).assumingMemoryBound(to: Atomic<UInt64>.self).pointee.store(value, ordering: .releasing)
    }
}

/// Pipe by which a writer wakes a reader in another process. The reader could fill a shared eventfd, or make it block; the two
/// ends of a pipe have separate settings.
///
/// *realtime-safe*
struct WakePipe: ~Copyable, Sendable {
    /// Descriptor to send to the reader. Also kept open here, so that writing does not fail after the reader has gone.
    let reader: Int32
    private let writer: Int32

    /// - Throws: The error of `pipe2`.
    init() throws(RealtimeFault) {
        var ends: (Int32, Int32) = (-1, -1)
        _ = try unsafe checked(.wakePipe, cm_pipe(&ends.0, &ends.1))
        (reader, writer) = ends
    }

    /// Wakes the reader. A full pipe needs no further byte.
    @_noLocks @_noAllocation
    func call() {
        _ = cm_pipe_write(writer)
    }

    deinit {
        _ = cm_close(writer)
        _ = cm_close(reader)
    }
}

/// Reading end of such a pipe, in the other process.
///
/// *realtime-safe*
struct WakeEnd: ~Copyable, Sendable {
    let descriptor: Int32

    /// - Parameter descriptor: Closed by deinit.
    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Another descriptor of the same end.
    ///
    /// - Throws: The error of `fcntl`.
    init(duplicating end: Int32) throws(RealtimeFault) {
        descriptor = try Self.duplicate(end)
    }

    /// Another descriptor of the same file.
    static func duplicate(_ descriptor: Int32) throws(RealtimeFault) -> Int32 {
        try checked(.wakePipe, cm_duplicate(descriptor))
    }

    /// Clears the wake-ups so far.
    ///
    /// - Returns: False if the writer is gone, so that no more will come.
    @_noLocks @_noAllocation
    func clear() -> Bool {
        cm_pipe_read(descriptor) != 0
    }

    deinit {
        _ = cm_close(descriptor)
    }
}
