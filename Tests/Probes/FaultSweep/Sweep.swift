import CaptureGate
import Glibc

/// Does the work again and again, each time with another call failing, and checks the outcome and the leftovers.
final class Sweep {
    struct Options {
        /// Each error at each place.
        var isWhole = false
        var seed = 0
        /// Names of calls; empty: all.
        var only: [String] = []
        /// From which fault on, and which number from there.
        var part = (first: 0, of: 1)
    }

    private let work: any SweptWork
    private let folder: SweptFolder
    private let options: Options
    private let watchdog = SweepWatchdog()
    private let begin = ContinuousClock.now
    private var before: Resources
    /// Libraries that were loaded when they were first needed, and stay: libsystemd, when rtkit is asked. Each is loaded once.
    private var loadedOnDemand: Set<String> = []
    private var calls: [String] = []
    private var recovered: [String: Int] = [:]
    private var ended: [String: Int] = [:]
    private var times: [String: Duration] = [:]
    private(set) var failures = 0
    private(set) var runs = 0

    init(_ work: any SweptWork, in folder: SweptFolder, _ options: Options) {
        self.work = work
        self.folder = folder
        self.options = options
        before = Resources(folder)
    }

    func run() async {
        guard let trace = await trace() else { return }
        tell("# \(trace.calls.map { "\($0.name) \($0.count)" }.joined(separator: ", "))")
        calls = trace.calls.map(\.name)
        let missing = options.only.filter { !calls.contains($0) }
        if !missing.isEmpty { return fail(.none, "these are not called: \(missing.joined(separator: ", "))") }
        await wait(for: Self.quiet)
        before = Resources(folder)
        for fault in faults(trace) {
            if runs % 50 == 0 { tell("# \(runs) faults") }
            let begin = ContinuousClock.now
            await look(at: fault)
            times[fault.call, default: .zero] += ContinuousClock.now - begin
        }
        PlannedFault.none.plan()
        await judgeGrowth()
        summarize(trace)
    }

    private func faults(_ trace: CallTrace) -> [PlannedFault] {
        let all = FaultPlan(trace: trace, isWhole: options.isWhole, seed: options.seed).faults
        let wanted = all.filter { fault in
            if let chance = work.chance, fault.call.hasPrefix(chance) { return false }
            return options.only.isEmpty || options.only.contains(fault.call)
        }
        return stride(from: options.part.first, to: wanted.count, by: options.part.of).map { wanted[$0] }
    }

    /// Four times without a fault: threads, plugins and the store's files are there from then on.
    private func trace() async -> CallTrace? {
        for _ in 1...4 {
            let outcome = await attempt(.none)
            if let complaint = outcome.errors.first.map({ "\($0)" }) ?? work.complaint(about: outcome) {
                fail(.none, "without a fault: \(complaint)")
                return nil
            }
            await wait(for: .milliseconds(20))
        }
        if !FaultSeam.keptAll {
            fail(.none, "it makes more calls than the seam keeps")
            return nil
        }
        return CallTrace()
    }

    private func look(at fault: PlannedFault) async {
        runs += 1
        var fault = fault
        for _ in 1...5 {
            let outcome = await attempt(fault)
            await judgeResources(fault)
            let (made, count) = (FaultSeam.made, CallTrace().count(of: fault.call))
            PlannedFault.none.plan()
            if made > 0 { return judge(outcome, fault) }
            if let error = outcome.errors.first { return fail(fault, "it was not made, and yet: \(error)") }
            // The clock decides how often some calls are made, and this time it was less often.
            if count > 0 { fault = fault.earlier(count) }
        }
        fail(fault, "it was never made")
    }

    private func attempt(_ fault: PlannedFault) async -> SweptOutcome {
        watchdog.expect("\(fault)", within: .seconds(60))
        defer { watchdog.relax() }
        return await work.make(failing: fault)
    }

    private func judge(_ outcome: SweptOutcome, _ fault: PlannedFault) {
        if outcome.errors.isEmpty { recovered[fault.call, default: 0] += 1 } else { ended[fault.call, default: 0] += 1 }
        let judge = ErrorJudge(fault: fault, devices: work.names, calls: calls)
        for error in outcome.errors {
            if let complaint = judge.complaint(about: error) {
                fail(fault, "\(complaint): \(error.kind): \(error.message) → \(error.remedies.map(\.text))")
            }
        }
        if let complaint = work.complaint(about: outcome) { fail(fault, complaint) }
    }

    /// Waits until other threads have closed their files, for at most a minute. Each pause is twice as long as the previous one:
    /// in virtual time a pause costs nothing, but a check does.
    private func judgeResources(_ fault: PlannedFault) async {
        for pause in [50, 100, 200, 400, 800, 1_600, 3_200, 3_650] {
            if Resources(folder).surplus(since: before).isEmpty, Resources.realtimeThreads == 0 { return }
            await wait(for: .milliseconds(pause))
        }
        let surplus = Resources(folder).surplus(since: before)
        let libraries = Set(surplus.filter { $0.contains(".so.") }).subtracting(loadedOnDemand)
        loadedOnDemand.formUnion(libraries)
        var left = surplus.filter { !libraries.contains($0) }
        for pause in [6_400, 12_800, 25_600, 6_400] where !left.isEmpty || Resources.realtimeThreads > 0 {
            await wait(for: .milliseconds(pause))
            left = Resources(folder).surplus(since: before).filter { !libraries.contains($0) }
        }
        if !left.isEmpty { fail(fault, "left behind: \(left.joined(separator: ", "))") }
        if Resources.realtimeThreads > 0 { fail(fault, "a thread was left at a realtime priority") }
        before = Resources(folder)
    }

    /// Dispatch ends a thread that was idle for five seconds, so those that stay longer are not idle ones. The first check came
    /// after the same wait. Checks in quick succession would keep idle threads: each check wakes the one that has waited longest.
    private func judgeGrowth() async {
        var now = Resources(folder)
        for _ in 1...3 where hasMoreThreads(now) || hasGrown(now) {
            await wait(for: Self.quiet)
            now = Resources(folder)
        }
        tell("# at the end: \(now); at first: \(before)")
        if hasMoreThreads(now) { fail(.none, "\(now.threads) threads, \(before.threads) at first") }
        if hasGrown(now) {
            fail(.none, "\(now.anonymousMappings) anonymous mappings, \(before.anonymousMappings) at first")
        }
    }

    private func hasMoreThreads(_ now: Resources) -> Bool { now.threads > before.threads }

    /// A heap that needs space for one more allocation grows by a piece or two: leaks of hundreds of failed recordings are larger.
    private func hasGrown(_ now: Resources) -> Bool { now.anonymousMappings > before.anonymousMappings + 4 }

    /// Longer than Dispatch keeps a thread that has nothing to do.
    private static let quiet = Duration.seconds(7)

    private func wait(for time: Duration) async { try? await Task.sleep(for: time) }

    private func fail(_ fault: PlannedFault, _ what: String) {
        failures += 1
        tell("not ok: \(fault): \(what)")
    }

    private func summarize(_ trace: CallTrace) {
        for name in calls where recovered[name] != nil || ended[name] != nil {
            let time = times[name] ?? .zero
            tell(
                "# \(name): \(recovered[name] ?? 0) recovered, \(ended[name] ?? 0) ended, "
                    + "\(Int64(time / .milliseconds(1))) ms")
        }
        let seconds = (ContinuousClock.now - begin).components.seconds
        tell("\(runs) faults, \(failures) failures, \(seconds) s")
    }
}
