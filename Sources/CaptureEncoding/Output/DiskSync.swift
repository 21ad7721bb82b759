import CaptureBase
import Dispatch
import LinuxSystem

/// Has what is written to a file reach its disk once a second while more is written: ext4 left alone keeps new data in memory
/// for half a minute, and a power cut takes all of it.
///
/// fdatasync runs on a thread of its own, one at a time, so that neither the capture nor the writer ever waits for a disk; the
/// thread is no slower than others, or a busy machine would lose more. It also sees what other programs do to the file.
///
/// *thread-safe*
package final class DiskSync: Sendable {
    /// Time from the beginning of one to that of the next, nanoseconds: with the half second that Opus gathers it is less than a
    /// second and a half.
    package static let interval: Int64 = 750_000_000
    /// Between two looks for something new, nanoseconds.
    package static let pause: Int64 = 250_000_000

    /// A process may have little memory for addresses.
    private static let stackBytes = 256 << 10

    private struct State {
        /// Bytes that were written, and of these the ones that were stored.
        var length: Int64 = 0
        var stored: Int64 = 0
        /// Times that the writer itself has made it shorter.
        var cuts = 0
        /// When it was last stored, or begun to be, CLOCK_MONOTONIC nanoseconds.
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

    /// Begins with a thread.
    /// - Throws: where there may be no more of them.
    package convenience init(starting file: PartialFile) throws(CaptureError) {
        self.init(file)
        do throws(Errno) {
            try DetachedThread.start(stackBytes: Self.stackBytes) { self.run() }
        } catch {
            throw .output(error, "start a thread that stores", file.path)
        }
    }

    // MARK: For the writer

    /// Notes the length of the file now.
    /// - Returns: what kept an earlier part from the disk, or what another program has done to it.
    package func note(_ length: Int64) -> CaptureError? {
        state.withLock { state in
            state.length = length
            return state.failure
        }
    }

    /// Notes that the file becomes shorter, before it does.
    package func noteCut(to length: Int64) {
        state.withLock { state in
            state.length = length
            state.stored = min(state.stored, length)
            state.cuts += 1
        }
    }

    /// Begins nothing more.
    package func stop() {
        state.withLock { $0.isOver = true }
        wake.signal()
    }

    /// Waits for what is under way; after `stop()`, once.
    /// - Returns: what kept a part from the disk.
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

    /// Allocates nothing.
    private func run() {
        var pause = Self.pause
        while true {
            _ = wake.wait(timeout: .now() + .nanoseconds(Int(pause)))
            guard let next = look(at: SystemClock.monotonic.now) else { return }
            pause = next
        }
    }

    /// Stores what is new, where it is time.
    /// - Parameter now: CLOCK_MONOTONIC nanoseconds.
    /// - Returns: nanoseconds until the next look; `nil` where it is over.
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
        // Its name, too, is new once.
        if begun.last == nil { Self.store(folder: folder) }
        return failure
    }

    private func end(_ begun: State, _ last: Int64?, _ failure: CaptureError?, _ loss: CaptureError?) {
        let (isOver, closes) = state.withLock { state in
            state.isBusy = false
            state.last = last
            state.failure = failure
            // Else it was the writer who made it shorter meanwhile.
            if state.cuts == begun.cuts {
                state.stored = begun.length
                state.failure = failure ?? loss
            }
            return (state.isOver, state.closesWhenIdle)
        }
        if closes { file.descriptor.close() }
        if isOver { idle.signal() }
    }

    /// Stores the names in a folder, where it can.
    package static func store(folder: String) {
        try? FileDescriptor(opening: folder, .directory).sync()
    }
}
