import ArgumentParser
import CaptureGate
import CaptureRig

/// `capturegate rig list`: lists all checks.
struct RigListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List all checks.",
        discussion: """
            To read more about a check, use 'capturegate rig explain NAME'.

              capturegate rig list
              capturegate rig list --json
            """)

    @OptionGroup var json: JSONOption

    /// Writes the list.
    func run() throws {
        if json.isOn {
            let document: JSONValue = ["checks": .array(CheckCatalogue.all.map(\.json))]
            return try StandardStream.output.line(document.text)
        }
        let output = StandardStream.output
        let width = output.isTerminal ? output.columns : .max
        try output.lines(CheckGroup.lines(TextStyle(for: output), width: width))
    }
}

/// `capturegate rig explain`: explains what a check measures, how, and its requirements.
struct RigExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Explain checks: what they measure, how, and their limits.",
        discussion: """
            A plan can change each parameter and each limit.

              capturegate rig explain camera.rate
              capturegate rig explain sync.offset sync.drift --json
            """)

    @Argument(
        help: ArgumentHelp("Names of checks.", valueName: "check"), completion: .list(CheckCatalogue.all.map(\.name)))
    var names: [String]

    @OptionGroup var json: JSONOption

    /// Writes the explanations.
    ///
    /// - Throws: `.usage` for a name that no check has.
    func run() throws {
        let checks = try names.map(Self.check)
        if json.isOn {
            let document: JSONValue = ["checks": .array(checks.map(\.json))]
            return try StandardStream.output.line(document.text)
        }
        let output = StandardStream.output
        let texts = checks.map { CheckText(check: $0, style: TextStyle(for: output), width: output.columns).lines }
        try output.lines(Array(texts.joined(separator: [""])))
    }

    private static func check(_ name: String) throws(CaptureError) -> CheckDefinition {
        if let check = CheckCatalogue.check(name) { return check }
        let near = CommandNames.nearest(to: name, among: CheckCatalogue.all.map(\.name))
        throw CaptureError(
            .usage, "There is no check '\(name)'." + (near.map { " Did you mean '\($0)'?" } ?? ""),
            remedies: [Remedy("See 'capturegate rig list'.")])
    }
}

/// Checks of one subject, by the first word of their names.
private enum CheckGroup: String, CaseIterable {
    case camera, sound, sync, host, gate

    private var title: String {
        switch self {
        case .camera: "Cameras"
        case .sound: "Microphones"
        case .sync: "A camera and a microphone together"
        case .host: "The machine"
        case .gate: "The gate"
        }
    }

    /// All checks below the titles of their groups.
    static func lines(_ style: TextStyle, width: Int) -> [String] {
        let longest = CheckCatalogue.all.map(\.name.count).max() ?? 0
        let groups = allCases.map { group in
            [style.bold(group.title)]
                + CheckCatalogue.all.filter { $0.name.hasPrefix(group.rawValue + ".") }.flatMap { check in
                    Paragraph.lines(check.summary, behind: "  \(check.name.padded(to: longest))  ", width: width)
                }
        }
        return Array(groups.joined(separator: [""]))
    }
}

/// A check's definition for people.
private struct CheckText {
    let check: CheckDefinition
    let style: TextStyle
    let width: Int

    var lines: [String] {
        let kinds = check.devices.map { "a \($0.rawValue)" }.joined(separator: " and ")
        return [style.bold(check.name)] + Paragraph.lines(check.summary, behind: "  ", width: width)
            + Paragraph.lines(check.method, behind: "  ", width: width)
            + section("Source", [("", check.source)])
            + section("Device", [("", kinds.isEmpty ? "none" : kinds)])
            + section("Parameters", check.parameters.map { ($0.name, $0.text) })
            + section("Measures", check.measures.map { ($0.name, $0.text) })
    }

    private func section(_ title: String, _ items: [(name: String, text: String)]) -> [String] {
        guard !items.isEmpty else { return [] }
        let longest = items.map(\.name.count).max() ?? 0
        return ["  " + style.bold(title)]
            + items.flatMap { item in
                Paragraph.lines(
                    item.text, behind: "    " + (longest == 0 ? "" : item.name.padded(to: longest + 2)), width: width)
            }
    }
}

extension CheckDefinition {
    /// Definition for programs.
    fileprivate var json: JSONValue {
        [
            "name": .string(name), "group": .string(name.prefix { $0 != "." }.description),
            "devices": .strings(devices.map(\.rawValue)), "summary": .string(summary), "method": .string(method),
            "source": .string(source), "parameters": .array(parameters.map(\.json)),
            "measures": .array(measures.map(\.json)),
        ]
    }
}

extension CheckDefinition.Parameter {
    fileprivate var text: String { summary + (standard.map { " (default \($0))" } ?? "") }

    fileprivate var json: JSONValue {
        [
            "name": .string(name), "kind": .string(kind.rawValue), "summary": .string(summary),
            "standard": .optional(standard),
        ]
    }
}

extension CheckDefinition.Definition {
    /// Meaning, unit and limits.
    fileprivate var text: String {
        "\(summary)\(unit.isEmpty ? "" : ", in \(unit)"); \(limits)"
    }

    private var limits: String {
        let bench = bench?.sentence
        let certification = certification?.sentence
        if bench == certification { return bench ?? "reported without a limit" }
        let all = [bench.map { "\($0) on a bench" }, certification.map { "\($0) in a certification" }]
        return all.compactMap { $0 }.joined(separator: ", ")
    }

    fileprivate var json: JSONValue {
        [
            "name": .string(name), "unit": .string(unit), "direction": .string(direction.rawValue),
            "summary": .string(summary), "bench": bench?.json ?? .null,
            "certification": certification?.json ?? .null,
        ]
    }
}

/// A text that is broken between words.
enum Paragraph {
    /// Lines of a text beside a word, each aligned below the first line's beginning; below the word if the row is too narrow for
    /// both.
    static func lines(_ text: String, behind word: String, width: Int) -> [String] {
        let isNarrow = width - word.count < 24 && word.contains { $0 != " " }
        let indent = isNarrow ? 6 : word.count
        let margin = String(repeating: " ", count: indent)
        var lines = isNarrow ? [word, margin] : [word]
        var isEmpty = true
        for part in text.split(separator: " ") {
            let last = lines[lines.count - 1]
            let isFitting = VisibleText.columns(of: last) + VisibleText.columns(of: String(part)) < width
            if isEmpty {
                lines[lines.count - 1] += part
            } else if isFitting {
                lines[lines.count - 1] += " \(part)"
            } else {
                lines.append(margin + part)
            }
            isEmpty = false
        }
        return lines
    }
}
