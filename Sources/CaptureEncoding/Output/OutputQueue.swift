import CaptureBase
import Dispatch
import LinuxSystem
import Synchronization

/// Bytes of a clip that wait to be written, and the thread that writes them. Until the queue is full, a disk that stalls or a
/// reader that pauses delays nobody.
///
/// After an error, the bytes in the queue are dropped: `bytesStored` shows how far the output got.
///
/// *thread-safe*
package final class OutputQueue: Sendable {
    private enum Entry {
        case bytes([UInt8])
        case patch([UInt8], at: Int64)
    }

    private struct State {
        var entries: [Entry] = []
        /// Bytes that become the next entry.
        var gathering: [UInt8] = []
        /// Memory of written entries, for further ones.
        var spare: [[UInt8]] = []
        /// Bytes that wait, the entry that is being written included.
        var waiting = 0
        /// True while the thread has nothing to do, and while the caller waits for room.
        var isIdle = false
        var isFull = false
        var isOver = false
        var failure: CaptureError?
        var sink: OutputSink
    }

    /// The result of a queue that has ended.
    struct End {
        /// Output, with the bytes written to it.
        let sink: OutputSink
        /// The error that kept the rest from being written.
        let failure: CaptureError?
    }

    private let capacity: Int
    private let state: Locked<State>
    private let stored: Atomic<Int64>
    private let work = DispatchSemaphore(value: 0)
    private let room = DispatchSemaphore(value: 0)
    private let ended = DispatchSemaphore(value: 0)

    /// Bytes up to which small writes are gathered into one.
    private static let gathered = 1 << 18
    /// Memory kept for further entries, each: two frames of 4K.
    private static let mostSpare = 32 << 20
    /// Size of the thread's stack: a process may have little address space.
    private static let stackBytes = 256 << 10

    /// Starts with a thread.
    /// - Parameters:
    ///   - sink: written to from now on by the thread alone.
    ///   - capacity: bytes that may wait; a single write of more waits until all before it is written.
    /// - Throws: `.inputOutput` if no more threads are allowed.
    init(starting sink: OutputSink, capacity: Int) throws(CaptureError) {
        self.capacity = capacity
        state = Locked(State(sink: sink))
        stored = Atomic(sink.bytesWritten)
        do throws(Errno) {
            try DetachedThread.start(stackBytes: Self.stackBytes) { self.run(sink) }
        } catch {
            throw .output(error, "start a thread to write", sink.file?.path ?? "a pipe")
        }
    }

    // MARK: For the writer

    /// Bytes that are written.
    var bytesStored: Int64 { stored.load(ordering: .acquiring) }
    /// Waits a moment until nothing waits to be written.
    /// - Parameter nanoseconds: most time to wait.
    /// - Returns: false if something still does: the disk stalls.
    func isEmpty(within nanoseconds: Int) -> Bool {
        let deadline = DispatchTime.now() + .nanoseconds(nanoseconds)
        while true {
            let isEmpty = state.withLock { state in
                state.isFull = state.waiting > 0
                return !state.isFull
            }
            if isEmpty { return true }
            if room.wait(timeout: deadline) == .timedOut { return false }
        }
    }

    /// Takes bytes in, once there is room.
    /// - Throws: the error that kept earlier bytes from being written.
    func add(_ bytes: UnsafeRawBufferPointer) throws(CaptureError) {
        try waitForRoom(bytes.count)
        let wakes = state.withLock { state in
            if !state.gathering.isEmpty, state.gathering.count + bytes.count > Self.gathered { Self.close(&state) }
            state.gathering.append(contentsOf: bytes)
            return Self.took(bytes.count, &state)
        }
        if wakes { work.signal() }
    }

    /// Takes in bytes that replace written ones, in their turn.
    /// - Throws: as `add(_:)`.
    func add(patch bytes: [UInt8], at offset: Int64) throws(CaptureError) {
        try waitForRoom(bytes.count)
        let wakes = state.withLock { state in
            if !state.gathering.isEmpty { Self.close(&state) }
            state.entries.append(.patch(bytes, at: offset))
            return Self.took(bytes.count, &state)
        }
        if wakes { work.signal() }
    }

    /// Writes what waits, and ends the thread. More calls do no harm.
    func end() -> End { end(dropping: false) }

    /// Drops what waits, and ends the thread once its last call to the system has returned.
    func cancel() -> End { end(dropping: true) }

    private func end(dropping: Bool) -> End {
        state.withLock { state in
            state.isOver = true
            if dropping { Self.drop(&state) }
        }
        work.signal()
        ended.wait()
        ended.signal()
        return state.withLock { End(sink: $0.sink, failure: $0.failure) }
    }

    private func waitForRoom(_ byteCount: Int) throws(CaptureError) {
        while true {
            let hasRoom = try state.withLock { (state) throws(CaptureError) -> Bool in
                if let failure = state.failure { throw failure }
                let hasRoom = state.waiting == 0 || state.waiting + byteCount <= capacity
                state.isFull = !hasRoom
                return hasRoom
            }
            if hasRoom { return }
            room.wait()
        }
    }

    // MARK: Under the lock

    private static func took(_ byteCount: Int, _ state: inout State) -> Bool {
        state.waiting += byteCount
        defer { state.isIdle = false }
        return state.isIdle
    }

    private static func close(_ state: inout State) {
        state.entries.append(.bytes(state.gathering))
        state.gathering = state.spare.popLast() ?? []
    }

    private static func drop(_ state: inout State) {
        state.entries = []
        state.gathering = []
        state.waiting = 0
    }

    // MARK: On the thread

    private func run(_ sink: OutputSink) {
        var sink = sink
        while let entry = next() {
            let failure = write(entry, to: &sink)
            stored.store(sink.bytesWritten, ordering: .releasing)
            if !isDone(entry, failure) { break }
        }
        state.withLock { $0.sink = sink }
        ended.signal()
    }

    /// - Returns: `nil` once no more is to come.
    private func next() -> Entry? {
        while true {
            let (next, isOver) = state.withLock { state -> (Entry?, Bool) in
                if state.entries.isEmpty, !state.gathering.isEmpty { Self.close(&state) }
                guard state.entries.isEmpty else { return (state.entries.removeFirst(), false) }
                state.isIdle = true
                return (nil, state.isOver)
            }
            if next != nil || isOver { return next }
            work.wait()
        }
    }

    private func write(_ entry: Entry, to sink: inout OutputSink) -> CaptureError? {
        do throws(CaptureError) {
            switch entry {
            case .bytes(let bytes):
                try bytes.span.bytes.withUnsafeBytes { (bytes) throws(CaptureError) in try sink.writeWhatFits(bytes) }
            case .patch(let bytes, let offset): try sink.patch(bytes, at: offset)
            }
            return nil
        } catch {
            return error
        }
    }

    /// - Returns: false after an error.
    private func isDone(_ entry: consuming Entry, _ failure: CaptureError?) -> Bool {
        let wakes = state.withLock { state in
            switch entry {
            case .bytes(var bytes):
                state.waiting = max(0, state.waiting - bytes.count)
                if state.spare.count < 2, bytes.capacity <= Self.mostSpare {
                    bytes.removeAll(keepingCapacity: true)
                    state.spare.append(bytes)
                }
            case .patch(let bytes, _): state.waiting = max(0, state.waiting - bytes.count)
            }
            if let failure {
                state.failure = failure
                Self.drop(&state)
            }
            defer { state.isFull = false }
            return state.isFull
        }
        if wakes { room.signal() }
        return failure == nil
    }
}
