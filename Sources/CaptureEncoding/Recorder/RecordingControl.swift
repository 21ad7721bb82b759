import CSystem
import CaptureGate
import Synchronization

/// Ends a recording from any thread.
///
/// *thread-safe*
public final class RecordingControl: Sendable {
    private let reason = Mutex<EndReason?>(nil)
    /// Readable once a stop was asked for.
    let descriptor: Int32

    /// - Throws: `.unavailable` where the process has no descriptor left.
    public init() throws(CaptureError) {
        descriptor = cs_eventfd(0)
        guard descriptor >= 0 else {
            throw CaptureError(
                .unavailable, "No event descriptor could be had.", errno: -descriptor,
                remedies: [Remedy("Raise the limit of open files (ulimit -n).")])
        }
    }

    deinit { _ = cs_close(descriptor) }

    /// Ends the recording; the first reason stays.
    public func stop(_ reason: EndReason = .interrupt) {
        self.reason.withLock { $0 = $0 ?? reason }
        _ = cs_eventfd_signal(descriptor)
    }

    var requested: EndReason? { reason.withLock { $0 } }
}
