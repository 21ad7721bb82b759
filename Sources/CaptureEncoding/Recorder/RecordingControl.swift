import CSystem
import CaptureGate
import Synchronization

/// Begins and ends a recording from any thread.
///
/// *thread-safe*
public final class RecordingControl: Sendable {
    private let reason = Locked<EndReason?>(nil)
    /// When the start was asked for, CLOCK_MONOTONIC nanoseconds; 0 where it was not.
    private let begun = Atomic<Int64>(0)
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

    /// Has a recording with a pre-roll begin its clip now; the first time counts, and without a pre-roll none does.
    public func begin() {
        _ = begun.compareExchange(
            expected: 0, desired: cs_clock_ns(Int32(CS_CLOCK_MONOTONIC)), ordering: .acquiringAndReleasing)
    }

    var beginning: Int64? {
        let moment = begun.load(ordering: .acquiring)
        return moment == 0 ? nil : moment
    }

    var requested: EndReason? { reason.withLock { $0 } }
}
