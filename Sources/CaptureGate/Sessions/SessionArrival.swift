import CaptureBase
import CaptureRealtime
import Dispatch
import Gate
import LinuxSystem

extension CaptureSession {
    /// Waits until a frame is available. Starts the capture if necessary.
    ///
    /// Nothing is copied or allocated: together with ``withNext(_:)`` it is the loop of a task that processes frames. It blocks no
    /// thread of Swift's pool, and no actor: the threads of capture operations sleep here.
    ///
    ///     while try await session.ready() {
    ///         session.withNext { header, bytes in … }
    ///     }
    ///
    /// Cancelling the task stops the capture within a tenth of a second; frames that were captured before can still be read. With
    /// fields or conversions that combine buffers, ``withNext(_:)`` may still find nothing.
    ///
    /// - Returns: false once the capture has been stopped and all frames were read.
    /// - Throws: the error that ended the capture, such as `.noDevice` for an unplugged device; `.unavailable` if the process has
    ///   no descriptor left. The end is then in the audit log.
    public nonisolated(nonsending) mutating func ready() async throws(CaptureError) -> Bool {
        start()
        while true {
            switch wakeup(for: #isolation) {
            case .ready: return true
            case .timedOut: await (try awaitedArrival()).wait(stopping: core.control)
            case .ended:
                await core.finish(end)
                if let error = end?.error { throw error }
                return false
            }
        }
    }

    /// Waits on the task's thread, if it may block it; otherwise only checks.
    ///
    /// A cancellation stops the capture when the next frame comes, or after a tenth of a second: a handler for each frame would
    /// cost more than everything else.
    private mutating func wakeup(for isolation: (any Actor)?) -> ReaderWakeup {
        if reader.unread > 0 { return .ready }
        guard CaptureExecutor.shared.hold(for: isolation) else { return reader.wait(milliseconds: 0) }
        defer { CaptureExecutor.shared.release() }
        while true {
            if Task.isCancelled { core.control.request(.stop) }
            let wakeup = reader.wait(milliseconds: 100)
            if wakeup != .timedOut { return wakeup }
        }
    }

    /// The wait of this opening, made when it is first needed.
    private mutating func awaitedArrival() throws(CaptureError) -> Arrival {
        if let arrival { return arrival }
        do throws(Errno) {
            let made = try Arrival(of: reader.readySignal)
            arrival = made
            return made
        } catch {
            throw .noEventDescriptor(error)
        }
    }
}

/// Wait of a task for the signal of a ring.
///
/// *session-bound*; the thread that ends the wait is another.
final class Arrival: Sendable {
    /// A separate number: the ring may be gone before this, and its number may belong to another file.
    private let signal: FileDescriptor
    private let thread: ArrivalThread
    private let mark: UInt64
    private let waiting = Waiting()

    /// Task that waits.
    fileprivate final class Waiting: Sendable {
        private let task = Locked<UnsafeContinuation<Void, Never>?>(nil)

        func set(_ continuation: UnsafeContinuation<Void, Never>) { task.withLock { $0 = continuation } }

        /// Wakes the task, once.
        func end() {
            let continuation = task.withLock { task in
                let taken = task
                task = nil
                return taken
            }
            continuation?.resume()
        }
    }

    /// - Parameter signal: of a ring, readable when there is something to take.
    /// - Throws: EMFILE; what starting a thread takes.
    init(of signal: Int32) throws(Errno) {
        self.signal = try FileDescriptor(duplicating: RawDescriptor(signal))
        thread = try ArrivalThread.shared.get()
        mark = thread.add(waiting)
    }

    deinit { thread.remove(mark, signal) }

    /// Waits for the signal; may return without it.
    ///
    /// - Parameter control: of the capture, which a cancellation of the task stops.
    nonisolated(nonsending) func wait(stopping control: LoopControl) async {
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                waiting.set(continuation)
                thread.arm(signal, mark, waiting)
            }
        } onCancel: {
            control.request(.stop)
        }
    }
}

/// Thread that waits for the rings of all sessions whose tasks do.
///
/// *thread-safe*
private final class ArrivalThread: Sendable {
    static let shared = Result { () throws(Errno) in try ArrivalThread() }

    private let queue: ReadinessQueue
    private let state = Locked(State())

    private struct State {
        var waiting: [UInt64: Arrival.Waiting] = [:]
        var last: UInt64 = 0
    }

    private init() throws(Errno) {
        queue = try ReadinessQueue()
        DispatchQueue(label: "capturegate.arrivals").async { self.run() }
    }

    func add(_ waiting: Arrival.Waiting) -> UInt64 {
        state.withLock { state in
            state.last += 1
            state.waiting[state.last] = waiting
            return state.last
        }
    }

    func remove(_ mark: UInt64, _ signal: borrowing FileDescriptor) {
        queue.forget(signal)
        state.withLock { _ = $0.waiting.removeValue(forKey: mark) }
    }

    func arm(_ signal: borrowing FileDescriptor, _ mark: UInt64, _ waiting: Arrival.Waiting) {
        do throws(Errno) {
            try queue.arm(signal, mark: mark)
        } catch {
            // The kernel has no memory for it: the task checks again instead of waiting forever.
            waiting.end()
        }
    }

    private func run() {
        while true {
            guard let mark = try? queue.next() else { continue }
            state.withLock { $0.waiting[mark] }?.end()
        }
    }
}
