import CSystem
import CaptureBase
import Dispatch

/// Tells once that a process has ended, its parent's look at its end not awaited.
///
/// Standard: pidfd_open(2). *thread-safe*
package final class ProcessEndWatch: Sendable {
    /// A source that its own handler cancels.
    private final class Waiting: Sendable {
        /// Set before it is activated.
        let source = Locked<(any DispatchSourceRead)?>(nil)

        func cancel() { source.withLock { $0?.cancel() } }
    }

    private let waiting: Waiting

    /// - Parameters:
    ///   - process: its id.
    ///   - queue: on which `onEnd` is called, soon also where it has ended already.
    ///   - onEnd: called once, unless the watch is released before.
    /// - Throws: ESRCH where there is no such process, ENFILE or EMFILE where no descriptor is left.
    package init(of process: Int32, on queue: DispatchQueue, onEnd: @escaping @Sendable () -> Void) throws(Errno) {
        let file = RawDescriptor(try checked(cs_pidfd_open(process)))
        let waiting = Waiting()
        self.waiting = waiting
        waiting.source.withLock { source in
            let made = DispatchSource.makeReadSource(fileDescriptor: file.number, queue: queue)
            made.setEventHandler {
                // It stays readable from now on.
                waiting.cancel()
                onEnd()
            }
            // A descriptor may be closed only once its source is cancelled.
            made.setCancelHandler { file.close() }
            source = made
        }
        waiting.source.withLock { $0?.activate() }
    }

    // The handlers, which hold what is waited with, are released with the cancelling.
    deinit { waiting.cancel() }
}
