import CaptureBase

extension RigReport {
    /// The report in the Test Anything Protocol, version 14: a test point a result, with its measures as YAML below it.
    ///
    /// A device that is missing and a check that could not measure are not ok, as a failure is; the block says which. A
    /// check that did not run is ok with a SKIP directive; TODO is never written, because no failure is expected.
    ///
    /// Standard: TAP 14 (2022). *thread-safe*
    public var tap: String {
        let begin = ["TAP version 14", "1..\(results.count)", "# plan \(plan.visible), profile \(profile.visible)"]
        let points = results.enumerated().flatMap { TAPPoint(number: $0 + 1, result: $1).text }
        return (begin + points).joined(separator: "\n") + "\n"
    }
}

/// One test point and its YAML block, in block style, which people can read: readers of TAP take any YAML.
private struct TAPPoint {
    let number: Int
    let result: CheckResult

    var text: [String] { [point] + block.map { "  " + $0 } }

    private var point: String {
        let word = result.verdict.isOk ? "ok" : "not ok"
        return "\(word) \(number) - \(Self.escaped(result.name))\(directive)"
    }

    /// SKIP alone, with its reason.
    private var directive: String {
        guard result.verdict == .skip else { return "" }
        return " # SKIP \(Self.escaped(result.explanation ?? ""))"
    }

    /// A description's own number sign would begin a directive.
    private static func escaped(_ text: String) -> String {
        text.visible.reduce(into: "") { $0 += $1 == "#" || $1 == "\\" ? "\\\($1)" : String($1) }
    }

    /// The block, from its three hyphens to its three points; it belongs to the point above it.
    private var block: [String] {
        var block = ["---", "check: \(Self.scalar(result.check))", "verdict: \(result.verdict.rawValue)"]
        if let explanation = result.explanation { block.append("message: \(Self.scalar(explanation))") }
        if let device = result.device { block += Self.members(of: device) }
        if !result.variant.isEmpty {
            block.append("variant:")
            block += result.variant.map { "  \(Self.scalar($0.name)): \(Self.scalar($0.value))" }
        }
        if !result.measures.isEmpty { block.append("measures:") }
        block += result.measures.flatMap(Self.members)
        block += ["duration_ms: \(Self.scalar(result.seconds * 1000))", "..."]
        return block
    }

    /// Members of a device, indented below their own name.
    private static func members(of device: RigDevice) -> [String] {
        let driver = device.driver.map { ["  driver: \(scalar($0))"] } ?? []
        return [
            "device:", "  name: \(scalar(device.name))", "  id: \(scalar(device.id))",
            "  label: \(scalar(device.label))",
        ] + driver
    }

    /// Measure as an item of the list. Missing bounds are omitted. Its value is always present, since readers search for exactly
    /// the null.
    private static func members(of measure: Measure) -> [String] {
        let limit = measure.limit
        let bounds: [(String, Double?)] = [
            ("least", limit?.least), ("most", limit?.most), ("marginal_below", limit?.marginalBelow),
            ("marginal_above", limit?.marginalAbove), ("margin", measure.margin),
        ]
        return [
            "  - name: \(scalar(measure.name))", "    value: \(measure.value.map(scalar) ?? "null")",
            "    unit: \(scalar(measure.unit))", "    direction: \(measure.direction.rawValue)",
        ] + bounds.compactMap { name, value in value.map { "    \(name): \(scalar($0))" } }
            + ["    verdict: \(measure.verdict.rawValue)"]
    }

    /// Text in quotation marks, as JSON writes it. Hidden characters are made visible before: YAML knows no pairs of surrogates.
    private static func scalar(_ text: String) -> String { JSONString.quoted(text.visible) }

    /// A number as YAML 1.1 reads one, too: it takes an exponent without a point for text.
    private static func scalar(_ value: Double) -> String {
        guard value.isFinite else { return "null" }
        let text = String(value)
        guard !text.contains("."), let exponent = text.firstIndex(of: "e") else { return text }
        return text[..<exponent] + ".0" + text[exponent...]
    }
}

extension Verdict {
    /// True for results that a format with two words counts as passed: those that did not run among them.
    var isOk: Bool { self <= .skip }
}
