import CaptureBase
import Dispatch
import LinuxSystem

/// Work in independent pieces, which several threads perform at once.
protocol SharedWork: AnyObject, Sendable {
    /// Performs one piece.
    /// - Parameters:
    ///   - piece: 0 upwards.
    ///   - thread: 0 for the caller of ``WorkerThreads/perform(_:)``, 1 upwards for the others; none performs two pieces at
    ///     once.
    func perform(_ piece: Int, on thread: Int)
}

/// Threads that help their owner's thread with one kind of work, until they are released.
///
/// They sleep while there is no work. Sharing work allocates nothing, so that it can be done for each frame.
///
/// *session-bound*
final class WorkerThreads {
    /// Progress of the work at hand.
    private struct Progress {
        /// Number of the next piece to begin.
        var next = 0
        var pieces = 0
        /// Pieces that are not done.
        var left = 0
        /// The owner has nothing more to begin, and waits for the others' last pieces.
        var isAwaited = false
        var isOver = false
    }

    /// State that the threads share; it outlives the owner until each has ended.
    private final class Shared: Sendable {
        let work: any SharedWork
        let progress = Locked(Progress())
        /// Wakes each helper; semaphores, since one that is signalled early is not lost.
        let wake: [DispatchSemaphore]
        let isDone = DispatchSemaphore(value: 0)
        let hasEnded = DispatchSemaphore(value: 0)

        init(_ work: any SharedWork, helpers: Int) {
            self.work = work
            wake = (0..<helpers).map { _ in DispatchSemaphore(value: 0) }
        }

        /// Performs pieces until all are begun.
        func perform(on thread: Int) {
            while let piece = begin() {
                work.perform(piece, on: thread)
                if end() { isDone.signal() }
            }
        }

        private func begin() -> Int? {
            progress.withLock { progress in
                guard progress.next < progress.pieces else { return nil }
                defer { progress.next += 1 }
                return progress.next
            }
        }

        /// - Returns: true if the owner must be notified that this was the last piece.
        private func end() -> Bool {
            progress.withLock { progress in
                progress.left -= 1
                guard progress.left == 0, progress.isAwaited else { return false }
                progress.isAwaited = false
                return true
            }
        }

        /// - Returns: true while others have pieces that are not done.
        func await() -> Bool {
            progress.withLock { progress in
                progress.isAwaited = progress.left > 0
                return progress.isAwaited
            }
        }

        /// Life of a helper.
        func help(on thread: Int) {
            while true {
                wake[thread - 1].wait()
                if progress.withLock({ $0.isOver }) { break }
                perform(on: thread)
            }
            hasEnded.signal()
        }
    }

    private let shared: Shared
    /// Helpers that could be started.
    private var helpers = 0

    /// libjpeg and our own code need a few KiB; sanitizers need more.
    private static let stackBytes = 512 << 10

    /// Starts the helpers. If the system allows fewer, the others do their part.
    /// - Parameters:
    ///   - work: work to share.
    ///   - threads: maximum number of working threads, including the caller's.
    init(sharing work: any SharedWork, threads: Int) {
        shared = Shared(work, helpers: max(threads - 1, 0))
        let shared = shared
        for thread in shared.wake.indices.map({ $0 + 1 }) {
            guard (try? DetachedThread.start(stackBytes: Self.stackBytes) { shared.help(on: thread) }) != nil else {
                return
            }
            helpers += 1
        }
    }

    /// Performs all pieces of a piece of work, and returns when they are done. The caller's thread takes its share, so that
    /// helpers that wake late are not waited for.
    /// - Parameter pieces: 1 or more.
    func perform(_ pieces: Int) {
        shared.progress.withLock { progress in
            progress.next = 0
            (progress.pieces, progress.left) = (pieces, pieces)
        }
        for helper in 0..<min(helpers, pieces - 1) { shared.wake[helper].signal() }
        shared.perform(on: 0)
        if shared.await() { shared.isDone.wait() }
    }

    deinit {
        shared.progress.withLock { $0.isOver = true }
        for helper in 0..<helpers { shared.wake[helper].signal() }
        for _ in 0..<helpers { shared.hasEnded.wait() }
    }
}
