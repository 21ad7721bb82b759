import CaptureBase
import CaptureGate
import Dispatch
import LinuxSystem

/// Report of a running plan. It is written again after each check, so that a crash or a power cut loses no result.
///
/// *thread-safe*
package final class RigJournal: Sendable {
    private let head: RigReport
    private let plan: RigPlan
    private let devices: RigDevices
    private let kept: Set<String>
    private let folder: ReportFolder?
    private let begun = ContinuousClock.now
    private let state: Locked<State>
    /// Writing takes its time, and the next check does not wait for it.
    private let queue = DispatchQueue(label: "capturegate.rig.journal")

    private struct State {
        var results: [String: CheckResult]
        /// Moment and cost of the last writing.
        var written = ContinuousClock.now
        var cost = Duration.zero
    }

    /// - Parameters:
    ///   - plan: plan whose checks run.
    ///   - devices: devices of the machine.
    ///   - earlier: run that is resumed; `nil` for a new one.
    ///   - folder: directory for the reports; `nil` writes none.
    package init(
        of plan: RigPlan, among devices: [Device], resuming earlier: EarlierRun? = nil, in folder: ReportFolder?
    ) {
        head = RigReport(
            plan: plan.name, profile: plan.profile.rawValue, host: .current,
            began: earlier?.report.began ?? CivilTime.now, seconds: earlier?.report.seconds ?? 0, end: .interrupted,
            results: [])
        (self.plan, self.devices) = (plan, RigDevices(plan, among: devices))
        self.folder = folder
        let results = Dictionary((earlier?.kept ?? []).map { ($0.name, $0) }) { first, _ in first }
        kept = Set(results.keys)
        state = Locked(State(results: results))
    }

    /// Makes the directory and writes the first report.
    ///
    /// - Throws: if it can't be written.
    package func begin() throws(CaptureError) { try folder?.begin(draft) }

    /// Adds a result. ``finish(_:isComplete:)`` tries again to write, and reports what can't be written.
    package func note(_ result: CheckResult) {
        state.withLock { $0.results[result.name] = shifted(result) }
        guard let folder else { return }
        queue.async { [self] in
            guard isDue else { return }
            let start = ContinuousClock.now
            try? folder.write(draft)
            state.withLock { ($0.written, $0.cost) = (ContinuousClock.now, ContinuousClock.now - start) }
        }
    }

    /// The whole report, in the order of the results.
    ///
    /// - Parameters:
    ///   - results: all of the run, kept ones as well.
    ///   - isComplete: false for a run that a signal has ended.
    package func report(of results: [CheckResult], isComplete: Bool) -> RigReport {
        var report = head
        report.results = results.map(shifted)
        report.seconds += seconds
        report.end = isComplete ? .complete : .interrupted
        return report
    }

    /// Writes all formats, after pending writes.
    package func finish(_ report: RigReport) throws(CaptureError) {
        queue.sync {}
        try folder?.writeAll(report)
    }

    /// Writes all formats of the results so far, for a run that is aborted.
    package func finish() throws(CaptureError) { try finish(draft) }

    /// The report if nothing more happened: checks without a result are skipped.
    private var draft: RigReport {
        let results = state.withLock { $0.results }
        var report = head
        report.seconds += seconds
        report.results = plan.checks.map { check in
            if let result = results[check.name] { return result }
            var result = CheckResult(check, of: plan, on: devices, begins: 0)
            (result.verdict, result.message) = (.skip, "The run ended before this check.")
            return result
        }
        return report
    }

    /// True for writing that takes at most a tenth of the time: a night's report is long in the end.
    private var isDue: Bool {
        let (written, cost) = state.withLock { ($0.written, $0.cost) }
        return cost < .milliseconds(20) || ContinuousClock.now - written > cost * 10
    }

    /// A result whose time counts from the start of the first run.
    private func shifted(_ result: CheckResult) -> CheckResult {
        guard !kept.contains(result.name) else { return result }
        var result = result
        result.begins += head.seconds
        return result
    }

    private var seconds: Double { Double((ContinuousClock.now - begun).nanoseconds) / 1e9 }
}

extension CivilTime {
    /// Present time as RFC 3339 text, in UTC.
    fileprivate static var now: String {
        let text = CivilTime(nanoseconds: SystemClock.realtime.now, in: .utc).text
        return text.split(separator: " ").joined(separator: "T") + "Z"
    }
}

extension RigReport.Host {
    /// This machine, by the files that uname(1) shows, and what results depend on.
    fileprivate static var current: RigReport.Host {
        func word(_ name: String) -> String? {
            ProcessFile.text("/proc/sys/kernel/\(name)")?.split { $0.isWhitespace }.first.map(String.init)
        }
        // Kernels before 6.1 do not have the last one.
        return RigReport.Host(
            name: word("hostname") ?? "unknown", kernel: word("osrelease") ?? "unknown", machine: word("arch") ?? built,
            versions: ["capturegate": LibraryVersions.captureGate, "alsa-lib": LibraryVersions.alsa])
    }

    /// Machine that the program was built for.
    private static var built: String {
        #if arch(x86_64)
            "x86_64"
        #elseif arch(arm64)
            "aarch64"
        #else
            "unknown"
        #endif
    }
}
