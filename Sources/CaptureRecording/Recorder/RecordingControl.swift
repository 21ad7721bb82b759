import CaptureEncoding
import CaptureGate
import LinuxSystem
import Synchronization

/// Control of a recording from any thread: its start and its end.
///
/// *thread-safe*
public final class RecordingControl: Sendable {
    private let request = Locked<(reason: EndReason, moment: Int64)?>(nil)
    /// Moment at which the start was requested, CLOCK_MONOTONIC nanoseconds; 0 before.
    private let begun = Atomic<Int64>(0)
    /// Moments at which a pause and its end were requested in turn, CLOCK_MONOTONIC nanoseconds.
    private let turns = Locked<[Int64]>([])
    /// Moments at which a chapter was set, CLOCK_MONOTONIC nanoseconds, and its title.
    private let marks = Locked<[ChapterMark]>([])
    /// Number of both: reading it is cheap.
    private let requests = Atomic<Int>(0)
    /// Descriptor for poll(2), readable once a stop was requested.
    var descriptor: Int32 { event.descriptor }
    private let event: EventDescriptor

    /// - Throws: `.unavailable` if the process has no descriptor left.
    public init() throws(CaptureError) { event = try EventDescriptor.forWaiting() }

    /// Ends the recording. The first reason stays; more calls do no harm.
    public func stop(_ reason: EndReason = .interrupt) {
        request.withLock { $0 = $0 ?? (reason, SystemClock.monotonic.now) }
        event.signal()
    }

    /// Begins the clip of a recording with a pre-roll. The first call counts; without a pre-roll none does.
    public func begin() {
        _ = begun.compareExchange(
            expected: 0, desired: SystemClock.monotonic.now, ordering: .acquiringAndReleasing)
    }

    /// Pauses the recording. The devices continue, but their frames are not in the clip, whose time continues after the pause
    /// without a gap. The cut is on whole video frames, and is listed in `LossLedger.pauses`. A pause before the clip has
    /// started counts from its start. Pausing a paused recording does nothing.
    public func pause() { turn { !$0 } }

    /// Resumes a paused recording; does nothing if it is not paused.
    public func resume() { turn { $0 } }

    /// Pauses, or resumes if it is paused.
    public func togglePause() { turn { _ in true } }

    /// - Parameter turns: true for a request that is to be carried out, given whether the recording is paused.
    private func turn(_ turns: (Bool) -> Bool) {
        self.turns.withLock { moments in
            if turns(!moments.count.isMultiple(of: 2)) { moments.append(SystemClock.monotonic.now) }
        }
        requests.add(1, ordering: .acquiringAndReleasing)
    }

    /// Sets a chapter that begins now, for formats that store them.
    /// - Parameter title: `nil` numbers it.
    public func markChapter(_ title: String? = nil) {
        marks.withLock { $0.append(ChapterMark(moment: SystemClock.monotonic.now, title: title)) }
        requests.add(1, ordering: .acquiringAndReleasing)
    }

    /// Number of requests about pauses and chapters so far.
    var requestCount: Int { requests.load(ordering: .acquiring) }
    /// Moments at which a pause and its end were requested in turn, CLOCK_MONOTONIC nanoseconds.
    var pauses: [Int64] { turns.withLock { $0 } }
    /// Chapters in the order in which they were set.
    var chapterMarks: [ChapterMark] { marks.withLock { $0 } }

    /// Moment at which the start was requested, CLOCK_MONOTONIC nanoseconds.
    var beginning: Int64? {
        let moment = begun.load(ordering: .acquiring)
        return moment == 0 ? nil : moment
    }

    /// Reason of a requested stop; `nil` before.
    var requested: EndReason? { request.withLock { $0?.reason } }
    /// Moment of that request, CLOCK_MONOTONIC nanoseconds.
    var requestedAt: Int64? { request.withLock { $0?.moment } }
}

/// Request of a chapter.
struct ChapterMark: Sendable {
    /// CLOCK_MONOTONIC nanoseconds.
    let moment: Int64
    let title: String?
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
    /// - Throws: `.dismissed` if the recording was stopped meanwhile.
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
        CaptureError(.dismissed, "Stopped before the clip started. No file was created.")
    }
}
