import CaptureGate
import LinuxSystem

extension CheckMakers {
    /// The program opens the node itself. It is started through the gate, so that the audit log shows who used the camera.
    static func compliance(_ context: CheckContext) async throws(CaptureError) -> CheckFindings {
        let device = try context.device()
        guard let node = device.nodes.first else {
            return .skipped("\(device.id) has no node for v4l2-compliance.")
        }
        let command = PlanCommand(
            ["v4l2-compliance", "-d", node], limit: context.duration("within") ?? .seconds(120))
        let commands = context.commands
        let outcome = try await context.queue.run(
            DeviceOperation(device, purpose: "Test the driver with v4l2-compliance, without capturing") {
                (permit: consuming DevicePermit) async throws(CaptureError) in
                try await DeviceInquiry.ask(permit) { (_) async throws(CaptureError) in
                    try await commands.outcome(of: command)
                }
            })
        if outcome.ending == .timedOut {
            throw CaptureError(
                .timedOut, "v4l2-compliance did not end within \(command.limit), and was killed.",
                remedies: [Remedy("Allow more time with `within`.")])
        }
        let report = try ComplianceReport(whole: outcome.text, diagnostics: outcome.diagnostics, of: node)
        return CheckFindings(report, known: try known(report, context))
    }

    /// Names in the golden list. A camera without failures needs none.
    private static func known(
        _ report: ComplianceReport, _ context: CheckContext
    ) throws(CaptureError) -> Set<String> {
        guard !report.failures.isEmpty || context.golden.accepts else { return [] }
        let found = Array(report.failures.map { $0 + "\n" }.joined().utf8)
        let golden = try context.golden.bytes(for: context.planned, "txt", found: found)
        return Set(String(decoding: golden, as: UTF8.self).split(separator: "\n").map(String.init))
    }
}

/// Verdicts of v4l2-compliance, read from what it prints.
///
/// *thread-safe*
struct ComplianceReport: Hashable, Sendable {
    /// Tests that failed, each with its section: `Control ioctls (Input 0): VIDIOC_QUERYCTRL`. Sorted; each once.
    let failures: [String]
    /// All failures that the program counts.
    let failed: Int
    let warnings: Int

    /// Reads the output of the program, whatever its exit code was, which also reports failures.
    ///
    /// - Parameters:
    ///   - text: its standard output.
    ///   - diagnostics: its standard error.
    ///   - node: node of the camera, whose number is removed from the tests' names.
    /// - Throws: `.unavailable` if it did not finish.
    init(whole text: String, diagnostics: String, of node: String) throws(CaptureError) {
        if let report = ComplianceReport(text, of: node) {
            self = report
            return
        }
        let words = (diagnostics + text).split(separator: "\n").last.map { ": \($0)" } ?? "."
        throw CaptureError(.unavailable, "v4l2-compliance did not finish\(words)")
    }

    /// Reads what the program prints.
    ///
    /// - Returns: `nil` for a text without its last line, the totals.
    init?(_ text: String, of node: String) {
        var section = ""
        var failures: Set<String> = []
        var totals: (failed: Int, warnings: Int)?
        for line in text.split(separator: "\n") {
            let words = line.drop { $0 == "\t" || $0 == " " }
            if line.hasPrefix("Total for ") {
                totals = Self.totals(line)
            } else if words.hasPrefix("test "), words.hasSuffix(": FAIL") {
                failures.insert("\(section): \(words.dropFirst(5).dropLast(6))".replacing(node, with: "the node"))
            } else if words.count == line.count, line.hasSuffix(":") {
                section = String(line.dropLast())
            }
        }
        guard let totals else { return nil }
        self.failures = failures.sorted()
        (failed, warnings) = totals
    }

    /// Numbers of `Total for vivid device /dev/video0: 48, Succeeded: 47, Failed: 1, Warnings: 2`.
    private static func totals(_ line: Substring) -> (failed: Int, warnings: Int)? {
        func number(_ name: String) -> Int? {
            let field = line.split(separator: ",").first { $0.hasPrefix(" \(name): ") }
            return field.flatMap { Int($0.dropFirst(name.count + 3)) }
        }
        guard let failed = number("Failed"), let warnings = number("Warnings") else { return nil }
        return (failed, warnings)
    }
}

extension CheckFindings {
    /// - Parameter known: failures of the golden list.
    init(_ report: ComplianceReport, known: Set<String>) {
        let new = report.failures.filter { !known.contains($0) }
        self.init([
            Measure("new_failures", Double(new.count), "tests", .lower),
            Measure("failures", Double(report.failed), "tests", .lower),
            Measure("warnings", Double(report.warnings), "tests", .lower),
        ])
        add(new, "new")
    }
}
