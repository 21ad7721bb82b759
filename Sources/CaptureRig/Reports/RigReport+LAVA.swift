import CaptureBase

extension RigReport {
    /// The report as LAVA's test signals: a case for each measure, then one for the result.
    ///
    /// A device that is missing and a check that could not measure are `unknown`, since the device's state is. LAVA
    /// splits a signal at blanks and equal signs, and ends it at an angle bracket: ids and units have none.
    ///
    /// The corresponding program is LAVA's `lava-test-case`. *thread-safe*
    public var lava: String { results.flatMap(\.signals).joined() }
}

extension CheckResult {
    fileprivate var signals: [String] {
        let id = RigWords.identifier(name)
        let all = measures.map { measure in
            LAVASignal(
                id: "\(id).\(RigWords.identifier(measure.name))", verdict: measure.verdict,
                measurement: measure.value, unit: measure.unit)
        }
        return (all + [LAVASignal(id: id, verdict: verdict)]).map(\.text)
    }
}

/// A test case's signal.
private struct LAVASignal {
    let id: String
    let verdict: Verdict
    var measurement: Double?
    var unit = ""

    /// One line, in the order of `lava-test-case`.
    var text: String { "<LAVA_SIGNAL_TESTCASE TEST_CASE_ID=\(id) RESULT=\(result)\(measured)>\n" }

    /// Unit and number. A measure without a number has neither: LAVA would refuse the signal.
    private var measured: String {
        guard let measurement else { return "" }
        return (unit.isEmpty ? "" : " UNITS=\(Self.word(unit))") + " MEASUREMENT=\(measurement)"
    }

    /// The unit with everything that would end a word of the signal as an underscore.
    private static func word(_ unit: String) -> String {
        String(unit.visible.map { " =<>".contains($0) ? "_" : $0 })
    }

    private var result: String {
        switch verdict {
        case .done, .pass, .marginal: "pass"
        case .fail: "fail"
        case .skip: "skip"
        case .miss, .error: "unknown"
        }
    }
}
