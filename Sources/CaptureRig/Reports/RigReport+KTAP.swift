import CaptureBase

extension RigReport {
    /// The report in the kernel's Test Anything Protocol, version 1: one suite per device, and its results as subtests.
    ///
    /// Measures are diagnostics before the result that they belong to. A device that is missing and a check that could not measure
    /// have the ERROR directive.
    ///
    /// Standard: Documentation/dev-tools/ktap.rst of the kernel (6.12). *thread-safe*
    public var ktap: String {
        let suites = suites
        let begin = [
            "KTAP version 1", "1..\(suites.count)", "# plan \(plan.visible), kernel \(host.kernel.visible)",
        ]
        let all = suites.enumerated().flatMap { KTAPSuite(number: $0 + 1, suite: $1).text }
        return (begin + all).joined(separator: "\n") + "\n"
    }
}

/// Results of one device, and their total.
private struct KTAPSuite {
    let number: Int
    let suite: RigWords.Suite

    /// Subtests are indented by two blanks, and their suite's own result is not.
    var text: [String] {
        let begin = ["KTAP version 1", "# Subtest: \(suite.name)", "1..\(suite.results.count)"]
        let subtests = suite.results.enumerated().flatMap { Self.text(of: $1, number: $0 + 1) }
        return (begin + described + subtests).map { "  " + $0 } + [outcome]
    }

    /// A remark on the device, which the format has no member for.
    private var described: [String] {
        guard let device = suite.device else { return [] }
        let driver = device.driver.map { ", driver \($0.visible)" } ?? ""
        return ["# device \(device.id.visible), \(device.label.visible)\(driver)"]
    }

    /// The suite's own result. Readers count subtests alone, but a suite of the kernel fails with any of them.
    private var outcome: String {
        let isOk = suite.results.allSatisfy(\.verdict.isOk)
        let isSkipped = suite.count { $0 == .skip } == suite.results.count
        let directive = isSkipped ? " # SKIP none of its checks ran" : ""
        return "\(isOk ? "ok" : "not ok") \(number) \(suite.name)\(directive)"
    }

    /// A measure's name comes after a word of ours: `# Subtest: ` would begin a suite.
    private static func text(of result: CheckResult, number: Int) -> [String] {
        let word = result.verdict.isOk ? "ok" : "not ok"
        return result.measures.map { "# measure \($0.finding)" }
            + ["\(word) \(number) \(RigWords.identifier(result.name))\(remark(on: result))"]
    }

    /// The directive, or the text beside a failure.
    private static func remark(on result: CheckResult) -> String {
        let explanation = result.explanation ?? ""
        return switch result.verdict {
        case .done, .pass: ""
        case .marginal, .fail: " # \(explanation)"
        case .skip: " # SKIP \(explanation)"
        case .miss, .error: " # ERROR \(explanation)"
        }
    }
}
