import CaptureEncoding
import CaptureGate
import LinuxSystem
import Synchronization

/// Control of a recording from any thread: its start and its end.
///
/// *thread-safe*
public final class RecordingControl: Sendable {
    private let reason = Locked<EndReason?>(nil)
    /// Moment at which the start was asked for, CLOCK_MONOTONIC nanoseconds; 0 before.
    private let begun = Atomic<Int64>(0)
    /// Descriptor for poll(2), readable once a stop was asked for.
    var descriptor: Int32 { event.descriptor }
    private let event: EventDescriptor

    /// - Throws: `.unavailable` where the process has no descriptor left.
    public init() throws(CaptureError) {
        do throws(Errno) {
            event = try EventDescriptor()
        } catch {
            throw CaptureError(
                .unavailable, "No event descriptor could be had.", errno: error.number,
                remedies: [Remedy("Raise the limit of open files (ulimit -n).")])
        }
    }

    /// Ends the recording. The first reason stays; more calls do no harm.
    public func stop(_ reason: EndReason = .interrupt) {
        self.reason.withLock { $0 = $0 ?? reason }
        event.signal()
    }

    /// Begins the clip of a recording with a pre-roll. The first call counts; without a pre-roll none does.
    public func begin() {
        _ = begun.compareExchange(
            expected: 0, desired: SystemClock.monotonic.now, ordering: .acquiringAndReleasing)
    }

    /// Moment at which the start was asked for, CLOCK_MONOTONIC nanoseconds.
    var beginning: Int64? {
        let moment = begun.load(ordering: .acquiring)
        return moment == 0 ? nil : moment
    }

    /// Reason of a stop that was asked for; `nil` before.
    var requested: EndReason? { reason.withLock { $0 } }
}

/// Start of a recording at a moment of the wall clock.
///
/// *thread-safe*
public struct ScheduledStart: Hashable, Sendable {
    /// Time from 1970-01-01T00:00:00Z to the start.
    public let sinceEpoch: Duration

    public init(sinceEpoch: Duration) { self.sinceEpoch = sinceEpoch }

    /// Time before it at which devices are opened, so that all of them deliver in time.
    public static let head = Duration.seconds(3)

    /// Waits until it is time to open the devices: `head` and the pre-roll before the start.
    ///
    /// - Parameters:
    ///   - preRoll: that the recording will have.
    ///   - control: its stop ends the wait.
    /// - Throws: `.dismissed` where the recording was stopped meanwhile.
    public func wait(preRoll: Duration? = nil, control: RecordingControl) async throws(CaptureError) {
        let opening = (sinceEpoch - Self.head - (preRoll ?? .zero)).exactNanoseconds
        while true {
            if control.requested != nil || Task.isCancelled { throw .stoppedBeforeStart }
            // The wall clock may be set meanwhile.
            let (left, isPast) = opening.subtractingReportingOverflow(SystemClock.realtime.now)
            if left <= 0 || isPast { return }
            try? await Task.sleep(for: .nanoseconds(min(left, 200_000_000)))
        }
    }
}

extension CaptureError {
    static var stoppedBeforeStart: CaptureError {
        CaptureError(.dismissed, "It was stopped before the clip began; no file was made.")
    }
}
