import CaptureBase
import Dispatch
import LinuxSystem

/// Syncs a growing file to its disk once a second: otherwise ext4 keeps new data in memory for half a minute, and a power cut
/// loses all of it.
///
/// fdatasync runs on its own thread, one call at a time, so that neither the capture nor the writer ever waits for a disk. The
/// thread has normal priority, or a busy machine would lose more. It also detects changes of the file by other programs.
///
/// *thread-safe*
package final class DiskSync: Sendable {
    /// Time from the start of one sync to that of the next, in nanoseconds: together with the half second that Opus gathers it
    /// is less than a second and a half.
    package static let interval: Int64 = 750_000_000
    /// Time between two checks for new data, in nanoseconds.
    package static let pause: Int64 = 250_000_000

    /// Size of the thread's stack: a process may have little address space.
    private static let stackBytes = 256 << 10

    private struct State {
        /// Bytes that were written, and the part of them that was synced.
        var length: Int64 = 0
        var stored: Int64 = 0
        /// Number of times that the writer itself has shortened the file.
        var cuts = 0
        /// Start of the last sync, CLOCK_MONOTONIC in ns.
        var last: Int64?
        var isBusy = false
        var isOver = false
        var closesWhenIdle = false
        var failure: CaptureError?
    }

    private let file: PartialFile
    private let folder: String
    private let state = Locked(State())
    private let wake = DispatchSemaphore(value: 0)
    private let idle = DispatchSemaphore(value: 0)

    package init(_ file: PartialFile) {
        self.file = file
        folder = ClipOutput.folder(of: file.path)
    }

    /// Starts with a thread.
    /// - Throws: `.inputOutput` if no more threads are allowed.
    package convenience init(starting file: PartialFile) throws(CaptureError) {
        self.init(file)
        do throws(Errno) {
            try DetachedThread.start(stackBytes: Self.stackBytes) { self.run() }
        } catch {
            throw .output(error, "start a thread to store", file.path)
        }
    }

    // MARK: For the writer

    /// Records the present length of the file.
    /// - Returns: the error that kept an earlier part from the disk, or the damage done by another program.
    package func note(_ length: Int64) -> CaptureError? {
        state.withLock { state in
            state.length = length
            return state.failure
        }
    }

    /// Records that the file is about to be shortened.
    package func noteCut(to length: Int64) {
        state.withLock { state in
            state.length = length
            state.stored = min(state.stored, length)
            state.cuts += 1
        }
    }

    /// Starts no more syncs.
    package func stop() {
        state.withLock { $0.isOver = true }
        wake.signal()
    }

    /// Waits for the pending sync; call it once, after `stop()`.
    /// - Returns: the error that kept a part from the disk.
    package func wait() -> CaptureError? {
        if state.withLock({ $0.isBusy }) { idle.wait() }
        return state.withLock { $0.failure }
    }

    /// Stops and closes the file, without waiting for the disk.
    package func close() {
        let isIdle = state.withLock { state in
            state.isOver = true
            state.closesWhenIdle = state.isBusy
            return !state.isBusy
        }
        if isIdle { file.descriptor.close() }
        wake.signal()
    }

    // MARK: On the thread

    /// Loop of the thread; allocates nothing.
    private func run() {
        var pause = Self.pause
        while true {
            _ = wake.wait(timeout: .now() + .nanoseconds(Int(pause)))
            guard let next = look(at: SystemClock.monotonic.now) else { return }
            pause = next
        }
    }

    /// Syncs new data if that is due.
    /// - Parameter now: CLOCK_MONOTONIC in ns.
    /// - Returns: nanoseconds until the next check; `nil` once stopped.
    package func look(at now: Int64) -> Int64? {
        let begun: State? = state.withLock { state in
            guard !state.isOver, state.failure == nil, state.length > 0 else { return nil }
            if let last = state.last, now - last < Self.interval { return nil }
            state.isBusy = true
            return state
        }
        guard let begun else { return state.withLock { $0.isOver } ? nil : Self.pause }
        let isNew = begun.length != begun.stored
        let failure = store(begun, isNew)
        end(begun, isNew ? now : begun.last, failure, file.loss(ofWritten: begun.length))
        return isNew ? Self.interval : Self.pause
    }

    private func store(_ begun: State, _ isNew: Bool) -> CaptureError? {
        guard isNew else { return nil }
        var failure: CaptureError?
        do throws(Errno) {
            try file.steps.store(file.descriptor)
        } catch {
            failure = .output(error, "store", file.path)
        }
        // The first sync also stores the file's new name.
        if begun.last == nil { Self.store(folder: folder) }
        return failure
    }

    private func end(_ begun: State, _ last: Int64?, _ failure: CaptureError?, _ loss: CaptureError?) {
        let (isOver, closes) = state.withLock { state in
            state.isBusy = false
            state.last = last
            state.failure = failure
            // Otherwise the writer itself shortened it meanwhile.
            if state.cuts == begun.cuts {
                state.stored = begun.length
                state.failure = failure ?? loss
            }
            return (state.isOver, state.closesWhenIdle)
        }
        if closes { file.descriptor.close() }
        if isOver { idle.signal() }
    }

    /// Syncs the names in a directory, if the file system can.
    package static func store(folder: String) {
        try? FileDescriptor(opening: folder, .directory).sync()
    }
}
