import CMedia
import CaptureBase
import Synchronization

/// Memory of a shared ring, as its writer has it: the writer's mapping is the only one that can ever be written.
///
/// The seals forbid to shrink, to grow, and to write by any other way than this mapping, which was there before them: not
/// by `write`, not by a later mapping, and they can't be taken off. So a reader can neither change what others read nor
/// have the writer run into memory that is gone.
///
/// *session-bound*
@safe
package struct SharedPages: ~Copyable, @unchecked Sendable {
    // Sendable by hand because of the pointer, which this value alone owns.
    package let geometry: SharedGeometry
    /// Lend it to the reader.
    package let descriptor: Int32
    let base: UnsafeMutableRawPointer

    /// Reserves the memory, and writes the ring's sizes into it. The corresponding C functions are `memfd_create`, `mmap`
    /// and `fcntl` with F_ADD_SEALS.
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

/// Memory of a shared ring, as a reader has it: mapped to be read, and nothing in it believed.
///
/// *session-bound*
@safe
package struct SharedView: ~Copyable, @unchecked Sendable {
    // Sendable by hand because of the pointer, which this value alone owns.
    /// Sizes as they were when the memory was mapped; checked then, and kept.
    package let geometry: SharedGeometry
    let base: UnsafeRawPointer

    /// Checks memory that another process lent, and maps it.
    ///
    /// - Parameter descriptor: Closed, whatever comes of it: it is not needed afterwards.
    /// - Throws: EPROTO for memory that could be changed or taken away behind the writer's back, or that is no ring.
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

    /// Reads each word once: a writer could change them between two looks.
    private static func geometry(_ base: UnsafeRawPointer) -> SharedGeometry? {
        guard unsafe base.word(SharedWord.form) == SharedWord.magic else { return nil }
        let (slots, bytes) = unsafe (base.word(SharedWord.slots), base.word(SharedWord.slotBytes))
        return try? SharedGeometry(slots: Int(clamping: slots), slotBytes: Int(clamping: bytes))
    }

    @_noLocks @_noAllocation
    func slot(_ position: UInt64) -> UnsafeRawPointer {
        unsafe base + geometry.offset(position)
    }

    /// Entries written so far. Acquiring: they can be read.
    var written: UInt64 {
        @_noLocks @_noAllocation get { unsafe base.acquiredWord(SharedWord.written) }
    }

    /// Outcome of the stream; `nil` while it runs. A word that means nothing is an end, too: the writer is broken.
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
    /// The other process lends what is no ring, or not sealed, or does not keep to the ring's law.
    static var brokenShare: RealtimeFault {
        @_noLocks @_noAllocation get { RealtimeFault(.lendMemory, result: 0 &- EPROTO) }
    }
}

extension LoopResult {
    /// The other process does not keep to the ring's law.
    static var brokenShare: LoopResult {
        @_noLocks @_noAllocation get { LoopResult(.failed, fault: RealtimeFault.brokenShare) }
    }

    /// The other process has ended, and its device with it.
    package static var lenderGone: LoopResult {
        @_noLocks @_noAllocation get { LoopResult(.deviceGone, fault: RealtimeFault(.lendMemory, result: 0 &- EPIPE)) }
    }

    /// True where unread frames are not to be read any more: the permission is gone.
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
    /// Copies past this processor's caches: another one will read it.
    @_noLocks @_noAllocation
    func copyPast(_ source: UnsafeRawPointer, _ byteCount: Int) {
        unsafe cm_copy_past(self, source, Int64(byteCount))
    }

    @_noLocks @_noAllocation
    func setWord(_ offset: Int, _ value: UInt64) {
        unsafe (self + offset).assumingMemoryBound(to: Atomic<UInt64>.self).pointee.store(value, ordering: .relaxed)
    }

    /// Releasing: who acquires the value sees all that was written before.
    @_noLocks @_noAllocation
    func releaseWord(_ offset: Int, _ value: UInt64) {
        unsafe (self + offset).assumingMemoryBound(to: Atomic<UInt64>.self).pointee.store(value, ordering: .releasing)
    }
}

/// A pipe by which a writer calls a reader of another process. A signal that both write could be filled, or made to
/// block, by the reader; of a pipe each end has settings of its own.
///
/// *realtime-safe*
struct WakePipe: ~Copyable, Sendable {
    /// Lend it to the reader. It is kept open here as well, so that a reader that goes leaves no broken pipe.
    let reader: Int32
    private let writer: Int32

    /// - Throws: The error of `pipe2`.
    init() throws(RealtimeFault) {
        var ends: (Int32, Int32) = (-1, -1)
        _ = try unsafe checked(.wakePipe, cm_pipe(&ends.0, &ends.1))
        (reader, writer) = ends
    }

    /// Calls the reader. A full pipe has called it often enough.
    @_noLocks @_noAllocation
    func call() {
        _ = cm_pipe_write(writer)
    }

    deinit {
        _ = cm_close(writer)
        _ = cm_close(reader)
    }
}

/// The reading end of such a pipe, in the other process.
///
/// *realtime-safe*
struct WakeEnd: ~Copyable, Sendable {
    let descriptor: Int32

    /// - Parameter descriptor: Closed at the end.
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

    /// Takes the calls that came so far.
    ///
    /// - Returns: False if no call will come any more: the writer is gone.
    @_noLocks @_noAllocation
    func clear() -> Bool {
        cm_pipe_read(descriptor) != 0
    }

    deinit {
        _ = cm_close(descriptor)
    }
}
