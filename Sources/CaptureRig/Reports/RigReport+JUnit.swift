import CaptureBase

extension RigReport {
    /// The report as JUnit's XML, in the form that Jenkins accepts: a suite a device, a case a result.
    ///
    /// A failed check is a failure; a missing device and a check that could not measure are errors; a check that did
    /// not run is skipped. The measures are one line of JSON in each case's output, since the schema permits no
    /// properties there. Control characters, which XML 1.0 can't hold, are written as `\u{…}`.
    ///
    /// Standard: junit-10.xsd of Jenkins' xUnit plugin. *thread-safe*
    public var junit: String {
        let all = XMLElement(
            "testsuites", counts + [("name", plan), ("time", JUnitTime.text(seconds))], suites.map(element))
        return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + all.text() + "\n"
    }

    /// Counts of the whole. Skipped cases are not among them: the schema has no such attribute here.
    private var counts: [(String, String)] {
        let errors = count(.error) + count(.miss)
        return [("tests", String(results.count)), ("failures", String(count(.fail))), ("errors", String(errors))]
    }

    /// Suite with its properties before its cases, where old readers expect them.
    private func element(of suite: RigWords.Suite) -> XMLElement {
        let properties = properties(of: suite).map { XMLElement("property", [("name", $0), ("value", $1)]) }
        return XMLElement(
            "testsuite",
            [
                ("name", suite.name), ("hostname", host.name), ("timestamp", began),
                ("time", JUnitTime.text(suite.seconds)), ("tests", String(suite.results.count)),
                ("failures", String(suite.count { $0 == .fail })), ("errors", String(suite.count { $0 >= .miss })),
                ("skipped", String(suite.count { $0 == .skip })),
            ],
            [XMLElement("properties", [], properties)] + suite.results.map(element))
    }

    /// Facts that all cases of the suite have in common.
    private func properties(of suite: RigWords.Suite) -> [(String, String)] {
        let device = suite.device.map { [("device.id", $0.id), ("device.label", $0.label)] } ?? []
        let driver = suite.device?.driver.map { [("device.driver", $0)] } ?? []
        let versions = host.versions.sorted { $0.key < $1.key }.map { ("version.\($0.key)", $0.value) }
        return [("profile", profile), ("kernel", host.kernel), ("machine", host.machine)] + device + driver + versions
    }

    /// Case. Its class is the check, by which Jenkins groups, and its name is the full one, by which Jenkins keeps the history.
    private func element(of result: CheckResult) -> XMLElement {
        let measures = JSONValue.object([("measures", .array(result.measures.map(\.json)))]).text
        return XMLElement(
            "testcase",
            [
                ("classname", "capturegate.\(result.check)"), ("name", result.name),
                ("time", JUnitTime.text(result.seconds)),
            ],
            [outcome(of: result), XMLElement("system-out", text: measures)].compactMap { $0 })
    }

    /// The element that tells the result from a pass; `nil` for one.
    private func outcome(of result: CheckResult) -> XMLElement? {
        let name: String? =
            switch result.verdict {
            case .done, .pass, .marginal: nil
            case .skip: "skipped"
            case .fail: "failure"
            case .miss, .error: "error"
            }
        guard let name else { return nil }
        let findings = result.measures.map(\.finding).joined(separator: "\n")
        let attributes = [("type", result.verdict.rawValue), ("message", result.explanation ?? "")]
        return XMLElement(name, attributes, text: findings)
    }
}

/// Times in the schema's format.
private enum JUnitTime {
    /// Seconds with at most three digits after the point; no sign and no exponent.
    static func text(_ seconds: Double) -> String {
        let thousandths = seconds.isFinite ? Int64((min(max(0, seconds), 1e9) * 1000).rounded()) : 0
        let fraction = String(thousandths % 1000)
        return "\(thousandths / 1000).\(String(repeating: "0", count: 3 - fraction.count))\(fraction)"
    }
}

/// An element with attributes, and either elements or text in it.
///
/// Standard: XML 1.0 (fifth edition, 2008).
private struct XMLElement {
    let name: String
    let attributes: [(String, String)]
    let children: [XMLElement]
    /// Lines of it are kept, all else that does not show as itself is shown.
    let content: String

    init(_ name: String, _ attributes: [(String, String)] = [], _ children: [XMLElement] = [], text: String = "") {
        self.name = name
        self.attributes = attributes
        self.children = children
        content = text
    }

    /// Element on separate lines. Text is not indented, since blanks would be part of it.
    func text(indent: String = "") -> String {
        let begin = indent + "<" + name + attributes.map { " \($0)=\"\(Self.escaped($1))\"" }.joined()
        if children.isEmpty, content.isEmpty { return begin + "/>" }
        let lines = content.split(separator: "\n").map { Self.escaped(String($0)) }.joined(separator: "\n")
        guard !children.isEmpty else { return "\(begin)>\(lines)</\(name)>" }
        let inner = children.map { $0.text(indent: indent + "  ") }.joined(separator: "\n")
        return "\(begin)>\n\(inner)\n\(indent)</\(name)>"
    }

    /// Text for an attribute or for between tags: the stricter rules of the two, so that none can be mistaken for the
    /// other.
    private static func escaped(_ text: String) -> String {
        text.visible.unicodeScalars.reduce(into: "") { result, scalar in
            if let entity = Markup.entity(scalar) { result += entity } else { result.unicodeScalars.append(scalar) }
        }
    }
}
