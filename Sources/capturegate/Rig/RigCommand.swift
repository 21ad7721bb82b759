import ArgumentParser
import CaptureGate
import CaptureRig

/// `capturegate rig`: commands of the bench rig, which judges capture hardware by plans.
struct RigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rig",
        abstract: "Test cameras and microphones by a plan.",
        discussion: """
            A plan is a YAML file that names devices and checks. Each check measures and compares with a limit.

              capturegate rig list
              capturegate rig explain camera.rate
              capturegate rig check plan.yaml
              capturegate rig run plan.yaml --out reports
              capturegate rig compare before/report.json reports/report.json

            The verdict is PASS, MARGINAL or FAIL, or DONE if the check has no limit. MISS means that the device is missing. \
            ERROR means that the check could not measure.
            """,
        subcommands: [
            RigRunCommand.self, RigCheckCommand.self, RigListCommand.self, RigExplainCommand.self,
            RigCompareCommand.self,
        ])
}

/// `capturegate rig check`: reports mistakes in plans, and touches nothing.
struct RigCheckCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Find mistakes in plans without running them.",
        discussion: """
            Prints each mistake as FILE:LINE:COLUMN: MESSAGE, and exits with 65. For a valid plan, prints a summary.

              capturegate rig check plan.yaml
              capturegate rig check plans/*.yaml --json
            """)

    @Argument(help: ArgumentHelp("Plans to check.", valueName: "plan"), completion: PlanDocument.completion)
    var plans: [String]

    @OptionGroup var json: JSONOption

    /// Checks all plans, and writes the result to standard output: the mistakes are the result.
    func run() throws {
        let documents = plans.map { PlanDocument(reading: $0) }
        if json.isOn {
            let document: JSONValue = ["plans": .array(documents.map(\.json))]
            try StandardStream.output.line(document.text)
        } else {
            try StandardStream.output.lines(documents.flatMap(\.lines))
        }
        if documents.contains(where: { $0.plan == nil }) { throw ExitStatus(code: PlanDocument.exitCode) }
    }
}

/// `capturegate rig compare`: reports what is better and what is worse in the second of two reports.
struct RigCompareCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare",
        abstract: "Compare two reports.",
        discussion: """
            Reports what got better and what got worse. Exits with 1 if a measure or a verdict got worse.

              capturegate rig compare before/report.json after/report.json

            For repeated checks, the medians are compared. Two values are equal if they differ by less than 1 %, or by no more \
            than the repeats among themselves.
            """)

    @Argument(help: ArgumentHelp("File report.json of the earlier run.", valueName: "before"), completion: .file())
    var before: String

    @Argument(help: ArgumentHelp("File report.json of the later run.", valueName: "after"), completion: .file())
    var after: String

    @OptionGroup var json: JSONOption

    /// Compares the reports and writes the result.
    func run() throws {
        let comparison = RigComparison(
            try RigReport(readingFrom: before), try RigReport(readingFrom: after))
        if json.isOn {
            try StandardStream.output.line(comparison.document.text)
        } else {
            try StandardStream.output.lines(comparison.lines)
        }
        if comparison.isWorse { throw ExitStatus(code: 1) }
    }
}

/// A plan's file: the plan or its mistakes, for people and for programs.
struct PlanDocument {
    let path: String
    /// `nil` if there are mistakes.
    let plan: RigPlan?
    let diagnostics: [PlanDiagnostic]

    /// Exit code of a plan with mistakes (EX_DATAERR).
    static let exitCode = CaptureError(.badInput, "").exitCode

    static var completion: CompletionKind { .file(extensions: ["yaml", "yml"]) }

    /// - Parameter profile: used instead of the plan's.
    init(reading path: String, profile: RigPlan.Profile? = nil) {
        self.path = path
        (plan, diagnostics) = PlanReader.read(path, catalogue: CheckCatalogue.all, profile: profile)
    }

    /// Mistakes, one per line, or the contents of the plan.
    var lines: [String] {
        guard let plan else { return diagnostics.map(\.description.visible) }
        let checks = NumberText.counted(plan.checks.count, "check")
        let devices = NumberText.counted(plan.devices.count, "device")
        let time = NumberText.time(.milliseconds(Int(PlanTime(plan).least * 1000)))
        return [
            "\(path.visible): \(plan.name.visible), \(checks), \(devices), \(plan.profile) limits, at least \(time)"
        ]
    }

    var json: JSONValue {
        .object([
            ("path", .string(path)), ("diagnostics", .array(diagnostics.map(\.json))),
            ("name", .optional(plan?.name)), ("profile", .optional(plan?.profile.rawValue)),
            ("checks", .strings(plan?.checks.map(\.name) ?? [])),
            ("devices", .strings(plan?.devices.map(\.name) ?? [])),
            ("least_seconds", plan.map { .rounded(PlanTime($0).least, 3) } ?? .null),
        ])
    }
}

extension PlanDiagnostic {
    fileprivate var json: JSONValue {
        ["file": .string(file), "line": .count(line), "column": .count(column), "message": .string(message)]
    }
}
