import CaptureBase
import CaptureGate
import CaptureRealtime
import LinuxSystem

extension CheckMakers {
    /// Checks of the machine and the gate.
    static let machine: [String: Maker] = [
        "host.scheduling": scheduling, "gate.holds": gate, "camera.soak": soak, "sync.soak": soakOfBoth,
    ]

    private static func gate(_ context: CheckContext) async throws(CaptureError) -> CheckFindings {
        try await GateTrial(context).findings(on: context.device())
    }

    private static func scheduling(_ context: CheckContext) async throws(CaptureError) -> CheckFindings {
        let wakeups = try await Wakeups.measured(for: context.duration("for") ?? .seconds(5))
        try CaptureError.checkInterruption()
        return CheckFindings(
            wakeups.measures,
            series: [
                .histogram(
                    "wakeups", x: "delay (us)", y: "wake-ups", wakeups.lateness.map { Double($0) / 1000 }, finest: 1)
            ], message: "The thread's priority is \(wakeups.priority).")
    }
}

/// Lateness of a thread as those of captures are, which waits for one moment after another.
///
/// *thread-safe*
struct Wakeups: Sendable {
    /// Time from each moment to the wake-up, in ns.
    let lateness: [Int64]
    /// Priority that the thread got.
    let priority: ThreadPriority

    /// Measures on a separate thread.
    ///
    /// - Parameters:
    ///   - duration: whole measurement.
    ///   - interval: time from moment to moment.
    /// - Throws: `.unavailable` if no descriptor is left.
    static func measured(
        for duration: Duration, every interval: Duration = .milliseconds(1)
    ) async throws(CaptureError) -> Wakeups {
        let found = WakeupRecord()
        let run = WakeupRun(
            found, try timer(), try EventDescriptor.forWaiting(), count: max(1, Int(duration / interval)),
            interval: interval.nanoseconds)
        let queue = RealtimeQueue(label: "capturegate.rig.wakeups", broker: RealtimeKit())
        let box = Handoff(run)
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                guard let run = box.take() else { return continuation.resume(returning: found.wakeups) }
                queue.run(run) { _ in continuation.resume(returning: found.wakeups) }
            }
        } onCancel: {
            found.isStopped.set()
        }
    }

    private static func timer() throws(CaptureError) -> PeriodTimer {
        do throws(RealtimeFault) { return try PeriodTimer() } catch {
            throw CaptureError(.unavailable, "A timer can't be created.", errno: error.errno)
        }
    }

    /// Measures by the shares of wake-ups that were no later, in µs; without values if there were none.
    var measures: [Measure] {
        let sample = TimingSample(lateness.map { Double($0) / 1000 })
        return [
            Measure("wakeup_p99", sample?.percentile(0.99), "us", .lower),
            Measure("wakeup_p999", sample?.percentile(0.999), "us", .lower),
            Measure("wakeup_max", sample?.most, "us", .lower),
        ]
    }
}

/// Results of a run, which has ended when they are read.
///
/// *thread-safe*
private final class WakeupRecord: Sendable {
    let isStopped = StopMark()
    private let state = Locked((lateness: [Int64](), priority: ThreadPriority.notRunning))

    var wakeups: Wakeups { state.withLock { Wakeups(lateness: $0.lateness, priority: $0.priority) } }

    func note(_ priority: ThreadPriority) { state.withLock { $0.priority = priority } }
    func note(_ lateness: [Int64]) { state.withLock { $0.lateness = lateness } }
}

/// Waits on the capture thread, with the timer of devices that have no hardware.
///
/// *session-bound*
private struct WakeupRun: CaptureRun, ~Copyable {
    let allowsRealtimePriority = true
    private let record: WakeupRecord
    private let timer: PeriodTimer
    /// Never readable: nobody stops a wait of a millisecond.
    private let control: EventDescriptor
    private let count: Int
    private let interval: Int64

    init(
        _ record: WakeupRecord, _ timer: consuming PeriodTimer, _ control: EventDescriptor, count: Int, interval: Int64
    ) {
        self.timer = timer
        self.control = control
        (self.record, self.count, self.interval) = (record, count, interval)
    }

    func report(_ priority: ThreadPriority) { record.note(priority) }

    mutating func capture() -> LoopResult {
        var lateness: [Int64] = []
        lateness.reserveCapacity(count)
        var moment = SystemClock.monotonic.now
        for _ in 0..<count where !record.isStopped.isSet {
            // A moment that has passed would be no wait: a thread that is behind starts again, as late as it was.
            moment = max(moment + interval, SystemClock.monotonic.now + interval / 2)
            if case .failed(let fault) = timer.wait(until: moment, control: control.descriptor, milliseconds: 1000) {
                return LoopResult(.failed, fault: fault)
            }
            lateness.append(SystemClock.monotonic.now - moment)
        }
        record.note(lateness)
        return LoopResult(.stopped)
    }

    consuming func finish(_ result: LoopResult) {}
}
