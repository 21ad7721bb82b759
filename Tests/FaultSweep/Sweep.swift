import CaptureEncoding
import CaptureGate
import Glibc

/// Records again and again, each time with another call failing, and looks at what comes of it and what stays behind.
final class Sweep {
    private let recording: SweptRecording
    private let watchdog = SweepWatchdog()
    private let depth: Int64
    private let only: String?
    private var before: Resources
    private var threadsAtMost = 0
    private var recovered: [String: Int] = [:]
    private var ended: [String: Int] = [:]
    private(set) var failures = 0
    private(set) var runs = 0

    init(_ recording: SweptRecording, depth: Int64, only: String?) {
        self.recording = recording
        self.depth = depth
        self.only = only
        before = Resources(folder: recording.folder)
    }

    func run() async {
        // Twice without a fault: threads, plugins and the store's files are there from then on.
        for _ in 1...2 {
            let outcome = await attempt(.none)
            guard case .recorded = outcome else { return fail(.none, "without a fault: \(outcome)") }
        }
        let trace = CallTrace()
        // Dispatch's own timer is made by the first sleep.
        try? await Task.sleep(for: .milliseconds(1))
        before = Resources(folder: recording.folder)
        threadsAtMost = before.threads + 16
        tell("# \(trace.calls.map { "\($0.name) \($0.count)" }.joined(separator: ", "))")
        for fault in trace.faults(depth: depth) where only == nil || fault.call == only {
            if runs % 50 == 0 { tell("# \(runs) faults") }
            await look(at: fault)
        }
        PlannedFault.none.plan()
        summarize(trace)
    }

    private func look(at fault: PlannedFault) async {
        let outcome = await attempt(fault)
        if FaultSeam.made > 0 { judge(outcome, fault) }
        PlannedFault.none.plan()
        await judgeResources(fault)
        runs += 1
    }

    private func attempt(_ fault: PlannedFault) async -> SweptRecording.Outcome {
        watchdog.expect("\(fault)", within: .seconds(60))
        defer { watchdog.relax() }
        return await recording.make(failing: fault)
    }

    private func judge(_ outcome: SweptRecording.Outcome, _ fault: PlannedFault) {
        switch outcome {
        case .recorded: recovered[fault.call, default: 0] += 1
        case .ended(let error), .refused(let error):
            ended[fault.call, default: 0] += 1
            if let complaint = ErrorJudge(fault: fault, device: recording.device).complaint(about: error) {
                fail(fault, "\(complaint): \(error.kind): \(error.message) → \(error.remedies.map(\.text))")
            }
        }
        if let complaint = recording.leftBehind(outcome) { fail(fault, complaint) }
    }

    /// What another thread is still closing is waited for.
    private func judgeResources(_ fault: PlannedFault) async {
        for _ in 1...2000 {
            let now = Resources(folder: recording.folder)
            if now.isClean(since: before), Resources.realtimeThreads == 0 { break }
            try? await Task.sleep(for: .milliseconds(10))
        }
        let now = Resources(folder: recording.folder)
        if !now.isClean(since: before) { fail(fault, "left behind: \(now.surplus(since: before))") }
        if now.threads > threadsAtMost { fail(fault, "\(now.threads) threads, \(before.threads) before") }
        if Resources.realtimeThreads > 0 { fail(fault, "a thread was left at a realtime priority") }
        before = now.isClean(since: before) ? before : now
    }

    private func fail(_ fault: PlannedFault, _ what: String) {
        failures += 1
        tell("not ok: \(fault): \(what)")
    }

    private func summarize(_ trace: CallTrace) {
        for call in trace.calls where recovered[call.name] != nil || ended[call.name] != nil {
            tell("# \(call.name): \(recovered[call.name] ?? 0) recovered, \(ended[call.name] ?? 0) ended")
        }
        tell("# at the end: \(Resources(folder: recording.folder)); at first: \(before)")
        tell("\(runs) faults, \(failures) failures")
    }
}
