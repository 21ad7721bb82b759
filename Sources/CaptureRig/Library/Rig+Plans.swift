import CaptureGate
import LinuxSystem

extension Rig {
    /// Runs a plan, and writes its reports if ``directory`` is set.
    ///
    /// Devices in the plan that this bench lacks are reported as missing, so a plan for hardware runs on virtual devices that have
    /// its ids. Cancelling the task ends the run; the remaining checks are skipped in the report.
    ///
    /// - Parameters:
    ///   - path: path of a plan in YAML, absolute or relative to the working directory.
    ///   - names: names of checks or results, with `*` for any characters; empty for all.
    /// - Throws: `.badInput` for a plan with mistakes: the message contains them with file, line and column, and `underlying` has
    ///   an error for each; `.usage` for a name that the plan does not contain; `.inputOutput` or `.diskFull` if the reports can't
    ///   be written.
    public func run(planAt path: String, only names: [String] = []) async throws(CaptureError) -> RigReport {
        let read = PlanReader.read(path, catalogue: CheckCatalogue.all, profile: profile)
        guard let whole = read.plan else { throw .mistakes(read.diagnostics) }
        let plan = try whole.only(names)
        let devices = devices
        let journal = RigJournal(of: plan, among: devices, in: directory.map { ReportFolder($0) })
        try journal.begin()
        let results = await run(plan, among: devices).results { event in
            if case .ended(let result) = event { journal.note(result) }
        }
        let report = journal.report(of: results, isComplete: !Task.isCancelled)
        try journal.finish(report)
        return report
    }
}

extension RigReport: CustomStringConvertible {
    /// A sentence for the message of a test: the verdict, and each result that is not good.
    public var description: String {
        let bad = results.filter { !$0.verdict.isGood }.map { "\n\($0)" }
        return "\(plan.visible): \(verdict.rawValue) of \(results.count) results" + bad.joined()
    }
}

extension CaptureError {
    /// One error of all mistakes in a plan and in what it includes.
    fileprivate static func mistakes(_ found: [PlanDiagnostic]) -> CaptureError {
        let most = 10
        let rest = found.count > most ? " And \(found.count - most) more." : ""
        return CaptureError(
            .badInput, found.prefix(most).map(\.description).joined(separator: " ") + rest,
            remedies: [Remedy("Correct the plan.")], underlying: found.map { CaptureError(.badInput, $0.description) })
    }
}
