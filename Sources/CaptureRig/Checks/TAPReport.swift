/// Results in the Test Anything Protocol on standard output: one line per check, as `Tests/lib/tap.sh` writes and reads them.
///
/// A failed check does not end the report: the others run, too, and ``finish()`` shows whether all passed.
///
/// *session-bound*
public final class TAPReport {
    private var count = 0
    private var failed = 0
    private let write: (String) -> Void

    /// - Parameter write: called with each line, without its newline.
    public init(write: @escaping (String) -> Void = { print($0) }) { self.write = write }

    /// Writes a figure or a remark about the results.
    public func note(_ text: String) {
        for remark in text.split(separator: "\n") { write("# \(remark)") }
    }

    /// Makes a check.
    ///
    /// - Parameters:
    ///   - sentence: the claim that must hold.
    ///   - passes: true if it holds.
    ///   - detail: the finding instead; shown if the check fails.
    public func check(_ sentence: String, _ passes: Bool, _ detail: @autoclosure () -> String = "") {
        count += 1
        write("\(passes ? "ok" : "not ok") \(count) - \(sentence)")
        guard !passes else { return }
        failed += 1
        note(detail())
    }

    /// Checks that a value equals the expected one.
    public func equal<Value: Equatable>(_ sentence: String, _ expected: Value, _ got: Value) {
        check(sentence, got == expected, "    expected: \(expected)\n    got:      \(got)")
    }

    /// Checks that a value is there, and within bounds, which are inclusive.
    public func within(_ sentence: String, _ bounds: ClosedRange<Double>, _ got: Double?) {
        let found = got.map { "\($0)" } ?? "nothing"
        check(
            sentence, got.map(bounds.contains) ?? false,
            "    expected: \(bounds.lowerBound) to \(bounds.upperBound)\n    got:      \(found)")
    }

    /// Writes the plan and the summary.
    ///
    /// - Returns: the exit code: 0 if checks ran and all passed, otherwise 1.
    public func finish() -> Int32 {
        write("1..\(count)")
        write("\(count - failed) passed, \(failed) failed")
        return failed == 0 && count > 0 ? 0 : 1
    }
}
