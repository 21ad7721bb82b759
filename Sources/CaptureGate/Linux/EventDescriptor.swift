import CSystem
import Gate

/// An eventfd that lives as long as anybody refers to it, so that its number is never signalled after it was given to
/// something else.
final class EventDescriptor: Sendable {
    let descriptor: Int32

    /// - Throws: `.unavailable` where the process has no descriptor left.
    init() throws(CaptureError) {
        descriptor = cs_eventfd(0)
        guard descriptor >= 0 else {
            throw CaptureError(
                .unavailable, "No event descriptor could be had: \(SystemText.error(-descriptor)).", errno: -descriptor,
                remedies: [Remedy("Close what is not needed, or raise the limit of open files (ulimit -n).")])
        }
    }

    deinit { _ = cs_close(descriptor) }

    func signal() { _ = cs_eventfd_signal(descriptor) }
}
