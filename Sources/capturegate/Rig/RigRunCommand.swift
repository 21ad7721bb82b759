import ArgumentParser
import CaptureGate
import CaptureRig
import LinuxSystem

/// `capturegate rig run`: runs a plan and reports the results.
struct RigRunCommand: AsyncParsableCommand, SignalHandlingCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run a plan and write reports.",
        discussion: """
            The rig asks nobody, so allow the devices in advance. Each check prints a line with its verdict and its values.

              capturegate grant camera --for 8h
              capturegate rig run plan.yaml --out reports
              capturegate rig run plan.yaml --only camera.rate --only 'sound.*'
              capturegate rig run plan.yaml --out reports --resume

            The directory of --out gets the report in these formats: report.json, .html, .tap, .ktap, .xml (JUnit), .lava and \
            .kcidb.json. It also gets evidence, such as frames that failed. The file report.json is written after each check, so \
            --resume can continue an interrupted run.

            If you end the run early, the report lists the remaining checks as skipped.
            """)

    @Argument(help: ArgumentHelp("Plan to run.", valueName: "plan"), completion: PlanDocument.completion)
    var plan: String

    @Option(
        help: ArgumentHelp("Directory for reports and evidence (default: none).", valueName: "directory"),
        completion: .directory)
    var out: String?

    @Option(help: "Limits to use for checks without limits in the plan.")
    var profile: RigPlan.Profile?

    @Option(
        help: ArgumentHelp("Checks to run, such as 'camera.*'. Repeatable.", valueName: "name"),
        completion: .list(CheckCatalogue.all.map(\.name)))
    var only: [String] = []

    @Flag(help: "Store the results as golden files for later runs.")
    var accept = false

    @Flag(
        help: ArgumentHelp(
            "Continue an earlier run in the directory of --out.",
            discussion: """
                Repeats checks that were skipped, ended in MISS or ERROR, or changed in the plan. Keeps the other results.
                """))
    var resume = false

    @OptionGroup var json: JSONOption

    /// Refuses options that need another one, or contradict it.
    func validate() throws {
        if out?.isEmpty == true { throw ValidationError("--out has no name.") }
        if resume, out == nil { throw ValidationError("--resume needs --out: the directory of the earlier reports.") }
        if resume, !only.isEmpty {
            throw ValidationError("--resume makes what is left of the whole plan: leave --only out.")
        }
    }

    /// Runs the plan.
    ///
    /// - Throws: `ExitStatus` unless all checks succeeded; everything has been reported by then.
    func run() async throws {
        let plan = try self.readPlan()
        let devices = DeviceCatalog.scan(.identity)
        let folder = out.map { ReportFolder($0) }
        let earlier = try earlierRun(of: plan, in: folder, among: devices)
        let journal = RigJournal(of: plan, among: devices, resuming: earlier, in: folder)
        // Checked before anything runs, so that a night's results are not lost because they can't be written.
        try journal.begin()
        var options = RigRun.Options()
        (options.accepts, options.directory, options.earlier) = (accept, out, earlier?.kept ?? [])
        let gatekeeper = Gatekeeper.system(prompter: BenchPrompter())
        Self.tellForbidden(await plan.forbiddenDevices(among: devices, by: gatekeeper))
        let run = RigRun(plan, gatekeeper: gatekeeper, among: devices, options: options)
        let job = RigJob(
            run: run, plan: plan, journal: journal, kept: Set(options.earlier.map(\.name)), json: json.isOn)
        let (report, signal) = await job.run()
        try tell(report, journal, after: signal, gatekeeper.unloggedEnds)
    }

    /// Writes the commands that grant missing permissions. The run continues, since other checks may not need them.
    private static func tellForbidden(_ devices: [(name: String, device: Device)]) {
        let commands = devices.map { _, device in
            "    capturegate grant \(device.capability.rawValue) --device \(ShellQuote.word(device.id.rawValue)) --for 8h"
        }
        guard !commands.isEmpty else { return }
        let names = devices.map(\.name.visible).joined(separator: ", ")
        StandardStream.error.note(
            (["The plan needs permission to use \(names). A bench can't ask, so allow it first:"] + commands)
                .joined(separator: "\n"))
    }

    /// Plan with the selected checks.
    ///
    /// - Throws: `ExitStatus` after the mistakes have been written to standard error; `.usage` for a name of `--only` that no
    ///   check has.
    private func readPlan() throws -> RigPlan {
        let document = PlanDocument(reading: plan, profile: profile)
        if let plan = document.plan { return try plan.only(only) }
        for line in document.lines { StandardStream.error.note(line) }
        if json.isOn { try StandardStream.output.line(document.json.text) }
        throw ExitStatus(code: PlanDocument.exitCode)
    }

    /// Earlier run that `--resume` continues; `nil` to run everything.
    private func earlierRun(
        of plan: RigPlan, in folder: ReportFolder?, among devices: [Device]
    ) throws(CaptureError) -> EarlierRun? {
        guard resume, let folder else { return nil }
        guard let report = try folder.earlierReport() else {
            StandardStream.error.note("There is no earlier report in \(folder.path.visible), so all checks run.")
            return nil
        }
        let earlier = try EarlierRun(report, of: plan, among: devices)
        let left = plan.checks.count - earlier.kept.count
        let rest =
            left == 0
            ? "none to run" : "\(NumberText.counted(left, "check")) to run, including SKIP, MISS and ERROR"
        let changed =
            earlier.changed == 0
            ? ""
            : ", and \(NumberText.counted(earlier.changed, "check")) that changed in the plan or on the bench"
        let kept = NumberText.counted(earlier.kept.count, "result")
        StandardStream.error.note("Kept \(kept) of the run of \(report.began.visible); \(rest)\(changed).")
        return earlier
    }

    /// Writes the reports and the remaining errors.
    private func tell(
        _ report: RigReport, _ journal: RigJournal, after signal: Int32?, _ unlogged: [CaptureError]
    ) throws {
        var errors: [CaptureError] = []
        do throws(CaptureError) { try journal.finish(report) } catch { errors.append(error) }
        do throws(StreamFailure) {
            if json.isOn {
                try StandardStream.output.write(report.json)
            } else {
                try StandardStream.output.lines(RigSummary(report: report, directory: errors.isEmpty ? out : nil).lines)
            }
        } catch {
            // A closed pipe does not change the verdict.
            if let error = error.error { errors.append(error) }
        }
        let stream = StandardStream.error
        for error in errors + unlogged {
            stream.note(ErrorReport(error: error).lines(TextStyle(for: stream)).joined(separator: "\n"))
        }
        let found = signal.map { 128 + $0 } ?? report.exitCode
        // Audits rely on the log, so a missing end turns success into
        // a failure. It does not replace the code of another failure.
        let code = errors.first?.exitCode ?? (found == 0 ? unlogged.first?.exitCode ?? 0 : found)
        if code != 0 { throw ExitStatus(code: code) }
    }
}

extension RigPlan.Profile: ExpressibleByArgument {}

extension RigReport {
    /// Exit code of a whole run: a failure takes precedence over a missing device. A check that could not measure counts as a
    /// failure, since nothing showed that the device works.
    var exitCode: Int32 {
        if count(.fail) + count(.error) > 0 { return 1 }
        return count(.miss) > 0 ? CaptureError(.unavailable, "").exitCode : 0
    }
}

/// End of a run in one line: counts of the verdicts, the time, and the reports.
struct RigSummary {
    let report: RigReport
    /// `nil` if no reports were written.
    let directory: String?

    var lines: [String] {
        let counts = Verdict.allCases.reversed().filter { report.count($0) > 0 }
            .map { "\(report.count($0)) \($0.rawValue.uppercased())" }
        let time = NumberText.time(.milliseconds(Int(report.seconds * 1000)))
        let end = report.end == .interrupted ? "Interrupted" : "Done"
        let found = counts.isEmpty ? "no checks" : counts.joined(separator: ", ")
        let summary = "\(end) in \(time): \(found)."
        return [summary] + (directory.map { ["Reports: \($0.visible)"] } ?? [])
    }
}
