import ArgumentParser
import CaptureGate
import CaptureRig

/// `capturegate rig`: commands of the bench rig, which judges capture hardware by plans.
struct RigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rig",
        abstract: "Test cameras and microphones by a plan, and say what they fail in.",
        discussion: """
            A plan names devices and checks, in YAML. Each check measures, compares with a limit, and says PASS, MARGINAL or \
            FAIL; DONE without a limit. MISS means that the device is not there, ERROR that nothing could be measured.

              capturegate rig list
              capturegate rig explain camera.rate
              capturegate rig check plan.yaml
              capturegate rig run plan.yaml --out reports
              capturegate rig compare before/report.json reports/report.json
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
        abstract: "Say what is wrong in plans, and where; nothing is opened or run.",
        discussion: """
            One line a mistake, FILE:LINE:COLUMN: MESSAGE, and exit code 65; else a line about what each plan has in it.

              capturegate rig check plan.yaml
              capturegate rig check plans/*.yaml --json
            """)

    @Argument(help: ArgumentHelp("The plans.", valueName: "plan"), completion: PlanDocument.completion)
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

/// `capturegate rig compare`: says what got better and what worse between two reports.
struct RigCompareCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare",
        abstract: "Say what got better and what got worse between two reports.",
        discussion: """
            Exit code 1 if a measure or a verdict got worse, 0 otherwise. Of repeats the medians are compared; what differs by \
            less than 1 %, or by no more than the repeats among themselves, is equal.

              capturegate rig compare before/report.json after/report.json
            """)

    @Argument(
        help: ArgumentHelp("The report.json of the earlier run.", valueName: "before"), completion: .file())
    var before: String

    @Argument(help: ArgumentHelp("The report.json of the later run.", valueName: "after"), completion: .file())
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

/// A plan's file as it was read: the plan or its mistakes, for people and for programs.
struct PlanDocument {
    let path: String
    /// `nil` where there are mistakes.
    let plan: RigPlan?
    let diagnostics: [PlanDiagnostic]

    /// Exit code of a plan with mistakes (EX_DATAERR).
    static let exitCode = CaptureError(.badInput, "").exitCode

    static var completion: CompletionKind { .file(extensions: ["yaml", "yml"]) }

    /// - Parameter profile: outranks the plan's.
    init(reading path: String, profile: RigPlan.Profile? = nil) {
        self.path = path
        (plan, diagnostics) = PlanReader.read(path, catalogue: CheckCatalogue.all, profile: profile)
    }

    /// The mistakes, one a line, or what the plan has in it.
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
