import CaptureGate
import LinuxSystem

/// Directory of a run's reports, one file for each format.
///
/// *thread-safe*
package struct ReportFolder: Sendable {
    package let path: String

    /// - Parameter path: absolute, or relative to the working directory; it need not be there yet.
    package init(_ path: String) { self.path = path }

    /// Name of the report that all others are made of.
    private static let main = "report.json"

    /// Names of the other formats.
    private static let derived = [
        "report.tap", "report.ktap", "report.xml", "report.lava", "report.kcidb.json", "report.html",
    ]

    /// The report that an earlier run has left; `nil` without any.
    ///
    /// - Throws: `.badInput` for a file that is no report.
    package func earlierReport() throws(CaptureError) -> RigReport? {
        let path = file(Self.main)
        guard case .success = FileStatus.of(path) else { return nil }
        return try RigReport(readingFrom: path)
    }

    /// Creates the directory and writes a first report, so that a failure to write is known before anything runs. Formats of an
    /// earlier run are removed, since they would not match the new report.
    ///
    /// - Throws: `.diskFull` or `.inputOutput`.
    package func begin(_ report: RigReport) throws(CaptureError) {
        try RigFiles.makeDirectory(path)
        // A process that was killed while it wrote leaves these, and nobody else does.
        let partial = ([Self.main] + Self.derived).map { file($0 + ".partial") }
        let evidence = ProcessFile.names(in: file("evidence")).filter { $0.hasSuffix(".partial") }
        for path in partial + evidence.map({ file("evidence/\($0)") }) { try? FileSystem.remove(path) }
        try write(report)
        for name in Self.derived { try? FileSystem.remove(file(name)) }
    }

    /// Writes the report alone.
    package func write(_ report: RigReport) throws(CaptureError) { try write(report.json, as: Self.main) }

    /// Writes all formats; the report first, which no other one may cost.
    ///
    /// - Throws: `.diskFull` or `.inputOutput` for the first that can't be written; those before it are whole.
    package func writeAll(_ report: RigReport) throws(CaptureError) {
        try write(report)
        let texts: [() -> String] = [
            { report.tap }, { report.ktap }, { report.junit }, { report.lava }, { report.kcidb() },
            { report.html { ProcessFile.bytes(file($0), limit: Self.largestPicture) } },
        ]
        for (name, text) in zip(Self.derived, texts) { try write(text(), as: name) }
    }

    /// Longest file of evidence that becomes part of the page, in bytes.
    private static let largestPicture = 16 << 20

    private func write(_ text: String, as name: String) throws(CaptureError) {
        do throws(CaptureError) {
            try RigFiles.write(Array(text.utf8), to: file(name))
        } catch {
            // Recordings have other remedies.
            throw CaptureError(
                error.kind == .diskFull ? .diskFull : .inputOutput, error.message, errno: error.errno,
                remedies: [
                    Remedy(error.kind == .diskFull ? "Free some space." : "Choose a directory that you can write to.")
                ])
        }
    }

    private func file(_ name: String) -> String { path.hasSuffix("/") ? path + name : "\(path)/\(name)" }
}

/// Results of an earlier run of a plan that was interrupted, which the next one continues.
///
/// *thread-safe*
package struct EarlierRun: Sendable {
    package let report: RigReport
    /// Results that are kept: those that were judged, for a check that is unchanged in the plan, with the device that it means
    /// now.
    package let kept: [CheckResult]
    /// Number of checks that were judged, too, and have changed since.
    package let changed: Int

    /// - Parameters:
    ///   - report: report of the earlier run.
    ///   - plan: plan as it was read now.
    ///   - devices: devices of the machine.
    /// - Throws: `.badInput` for a report of another plan, or with another profile.
    package init(_ report: RigReport, of plan: RigPlan, among devices: [Device]) throws(CaptureError) {
        guard report.plan == plan.name, report.profile == plan.profile.rawValue else {
            throw CaptureError(
                .badInput,
                "The existing report is of the plan \"\(report.plan)\" (\(report.profile)), but this plan is "
                    + "\"\(plan.name)\" (\(plan.profile.rawValue)).",
                remedies: [Remedy("Resume with the same plan and profile, or remove --resume to start again.")])
        }
        let found = RigDevices(plan, among: devices)
        let checks = Dictionary(plan.checks.map { ($0.name, $0) }) { first, _ in first }
        self.report = report
        let judged = report.results.filter { $0.verdict.isGood || $0.verdict == .fail }
        kept = judged.filter { result in
            guard let check = checks[result.name], result.digest != nil, result.digest == plan.digest(of: check)
            else { return false }
            // One that is away now has been judged all the same.
            let device = (try? found.devices(check.devices))?.first
            return device == nil || device?.id.rawValue == result.device?.id
        }
        changed = judged.count { checks[$0.name] != nil } - kept.count
    }
}
