import CaptureGate
import Dispatch

/// Calls a handler while a descriptor is readable, until it is cancelled or released.
///
/// *thread-safe*
final class ReadWatch: Sendable {
    private let source: Locked<any DispatchSourceRead>
    private let queue: DispatchQueue

    /// - Parameters:
    ///   - descriptor: descriptor to watch.
    ///   - queue: queue that the handler runs on.
    ///   - owner: owns the descriptor, and lives until it is no longer watched.
    ///   - handler: reads the available data.
    init(
        _ descriptor: Int32, on queue: DispatchQueue, keeping owner: any AnyObject & Sendable,
        _ handler: @escaping @Sendable () -> Void
    ) {
        self.queue = queue
        source = Locked(DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue))
        source.withLock { source in
            source.setEventHandler(handler: handler)
            source.setCancelHandler { withExtendedLifetime(owner) {} }
            source.activate()
        }
    }

    deinit { cancel() }

    /// Calls it no more.
    func cancel() { source.withLock { $0.cancel() } }

    /// Does not call the handler for a while.
    func pause(milliseconds: Int) {
        source.withLock { $0.suspend() }
        queue.asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { self.source.withLock { $0.resume() } }
    }
}
