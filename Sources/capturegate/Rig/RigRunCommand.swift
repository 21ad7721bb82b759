import ArgumentParser
import CaptureGate
import CaptureRig
import LinuxSystem

/// `capturegate rig run`: runs a plan, and tells what was found.
struct RigRunCommand: AsyncParsableCommand, SignalHandlingCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run a plan: measure, judge, and write reports.",
        discussion: """
            Nobody is asked: allow each device before, for a time. A line a check tells its verdict and numbers. --out has \
            the report in all formats: report.json, .html, .tap, .ktap, .xml (JUnit), .lava and .kcidb.json, and evidence \
            such as frames that failed. report.json is written again after each check; --resume goes on from there.

              capturegate grant camera --for 8h
              capturegate rig run plan.yaml --out reports
              capturegate rig run plan.yaml --only camera.rate --only 'sound.*'
              capturegate rig run plan.yaml --out reports --resume

            Exit codes: 0 all good, 1 a check has failed or could not measure, 69 a device is not there, 65 the plan has \
            mistakes, 74 the reports can't be written, 130 after Ctrl-C and 143 after kill: what did not run is told as skipped.
            """)

    @Argument(help: ArgumentHelp("The plan.", valueName: "plan"), completion: PlanDocument.completion)
    var plan: String

    @Option(
        help: ArgumentHelp("Write reports and evidence there; else nothing is written.", valueName: "directory"),
        completion: .directory)
    var out: String?

    @Option(help: "Limits that count where the plan has none, instead of the plan's own choice.")
    var profile: RigPlan.Profile?

    @Option(
        help: ArgumentHelp(
            "Only checks or results of this name, * for any characters; again for each further one.",
            valueName: "name"), completion: .list(CheckCatalogue.all.map(\.name)))
    var only: [String] = []

    @Flag(help: "Write what is found as golden files, to which later runs compare.")
    var accept = false

    @Flag(
        help: """
            Keep what an earlier run into --out has judged, and make the rest: what was skipped, missed or an error, and \
            what the plan has otherwise now.
            """)
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
    /// - Throws: `ExitStatus` for what the plan found; everything has been told then.
    func run() async throws {
        let plan = try self.readPlan()
        let devices = DeviceCatalog.scan(.identity)
        let folder = out.map { ReportFolder($0) }
        let earlier = try earlierRun(of: plan, in: folder, among: devices)
        let journal = RigJournal(of: plan, among: devices, resuming: earlier, in: folder)
        // Before anything runs: a night's results must not find out in the morning that they can't be kept.
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

    /// Writes the commands that allow what nobody has allowed. The run goes on: other checks may need none of it.
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

    /// The plan with the checks that are wanted.
    ///
    /// - Throws: `ExitStatus` after the mistakes have been written to standard error; `.usage` for a name of `--only` that
    ///   nothing has.
    private func readPlan() throws -> RigPlan {
        let document = PlanDocument(reading: plan, profile: profile)
        if let plan = document.plan { return try plan.only(only) }
        for line in document.lines { StandardStream.error.note(line) }
        if json.isOn { try StandardStream.output.line(document.json.text) }
        throw ExitStatus(code: PlanDocument.exitCode)
    }

    /// The earlier run that `--resume` goes on from; `nil` to make everything.
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

    /// Writes the reports, and what remains to be told.
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
            // A reader that has had enough changes nothing of the verdict.
            if let error = error.error { errors.append(error) }
        }
        let stream = StandardStream.error
        for error in errors + unlogged {
            stream.note(ErrorReport(error: error).lines(TextStyle(for: stream)).joined(separator: "\n"))
        }
        let found = signal.map { 128 + $0 } ?? report.exitCode
        // Whoever audits the machine relies on the log: a missing end turns success into a failure, and nothing else.
        let code = errors.first?.exitCode ?? (found == 0 ? unlogged.first?.exitCode ?? 0 : found)
        if code != 0 { throw ExitStatus(code: code) }
    }
}

extension RigPlan.Profile: ExpressibleByArgument {}

extension RigReport {
    /// Exit code of a whole run: a failure outranks a device that is away. A check that could not measure counts as a failure,
    /// since nothing was seen to be good.
    var exitCode: Int32 {
        if count(.fail) + count(.error) > 0 { return 1 }
        return count(.miss) > 0 ? CaptureError(.unavailable, "").exitCode : 0
    }
}

/// End of a run in one line: counts of the verdicts, the time, and the reports.
struct RigSummary {
    let report: RigReport
    /// `nil` where no reports were written.
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
