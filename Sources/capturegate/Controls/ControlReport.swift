import CaptureGate

/// What is told of controls, to people and to programs.
struct ControlReport {
    let device: Device
    private let results: [ControlResult]
    private let failures: [ControlReset.Failure]
    /// Whether all were asked for, with their ranges.
    let isListing: Bool

    init(device: Device, outcome: ControlOutcome, isListing: Bool) {
        self.device = device
        results = outcome.results
        failures = outcome.failures
        self.isListing = isListing
    }

    func lines(_ style: TextStyle) -> [String] {
        guard isListing else { return results.map(line) }
        guard !results.isEmpty else { return ["\(titled) has no controls."] }
        let rows = Table(rows: results.map { Self.row($0.control) }).lines
        let title = style.bold(titled)
        return [title] + zip(results, rows).flatMap { [$1] + Self.items($0.control, style) }
    }

    var json: JSONValue {
        ["device": .string(device.id.rawValue), "controls": .array(results.map(\.json))]
    }

    /// The error of a reset that some control stood in the way of; `nil` where none did.
    var incompleteness: CaptureError? {
        guard let first = failures.first else { return nil }
        let names = failures.map(\.control.name).joined(separator: ", ")
        return CaptureError(
            first.error.kind, "\(titled) kept other values than its defaults: \(names).",
            errno: first.error.errno, underlying: failures.map(\.error))
    }

    /// The error of a strict setting; `nil` where all is as it was asked.
    var deviation: CaptureError? {
        let others = results.filter { !$0.isAsAsked }
        guard !others.isEmpty else { return nil }
        let sentences = others.map { "\($0.control.name) \($0.asked?.text ?? "") asked, \($0.control.shown) got" }
        return CaptureError(
            .notAsAsked,
            "\(titled) does otherwise than asked: \(sentences.joined(separator: "; ")).",
            remedies: [Remedy("Leave --strict out, to take what it gives.")])
    }

    private var titled: String { "\(device.name.visible) [\(device.id.rawValue.visible)]" }

    private func line(_ result: ControlResult) -> String {
        let asked = result.isAsAsked ? "" : " (\((result.asked?.text ?? "").visible) asked)"
        return "\(result.control.name): \(result.control.shown)\(asked)"
    }

    private static func row(_ control: DeviceControl) -> [String] {
        let isMenu = control.kind == .menu || control.kind == .integerMenu
        let range = isMenu ? "" : control.rangeDescription
        let standard = control.defaultValue.map { "default \($0)" } ?? ""
        let notes = control.flags.words.joined(separator: ", ")
        let rest = [range, standard, notes].filter { !$0.isEmpty }.joined(separator: "; ")
        return ["  " + control.name, control.kind.rawValue, control.shown, rest]
    }

    private static func items(_ control: DeviceControl, _ style: TextStyle) -> [String] {
        control.items.map { item in
            let line = "      \(item.number): \(item.name.visible)"
            return control.value == .integer(item.number) ? line : style.faint(line)
        }
    }
}

extension DeviceControl {
    /// The value as a person reads it.
    var shown: String {
        switch value {
        case nil: return kind == .button ? "button" : "-"
        case .text(let text): return "'\(text.visible)'"
        case .decibels(let level): return "\(level)dB"
        case .integer(let number) where kind == .bitmask: return "0x\(String(UInt64(bitPattern: number), radix: 16))"
        case .integer(let number): return "\(number)\(meaning(number))"
        }
    }

    private func meaning(_ number: Int64) -> String {
        if kind == .boolean { return number == 0 ? " (off)" : " (on)" }
        if let item = items.first(where: { $0.number == number }) { return " (\(item.name.visible))" }
        guard let decibels else { return "" }
        return decibels.value.map { " (\(NumberText.fixed($0, 2))dB)" } ?? " (silence)"
    }
}

extension ControlResult {
    var json: JSONValue {
        var members = control.members
        if let asked { members += [("asked", asked.json), ("as_asked", .bool(isAsAsked))] }
        return .object(members)
    }
}

extension DeviceControl {
    fileprivate var members: [(String, JSONValue)] {
        [
            ("name", .string(name)), ("label", .string(label)), ("kind", .string(kind.rawValue)), ("id", .count(id)),
            ("value", value?.json ?? .null), ("minimum", .integer(range.lowerBound)),
            ("maximum", .integer(range.upperBound)), ("step", .integer(step)),
            ("default", defaultValue.map { .integer($0) } ?? .null), ("flags", .strings(flags.words)),
            ("items", .array(items.map { ["number": .integer($0.number), "name": .string($0.name)] })),
            ("decibels", decibels?.json ?? .null), ("automatic", automatic?.json ?? .null),
        ]
    }
}

extension ControlValue {
    fileprivate var json: JSONValue {
        switch self {
        case .integer(let number): .integer(number)
        case .text(let text): .string(text)
        case .decibels(let level): .rounded(level, 2)
        }
    }
}

extension ControlDecibels {
    fileprivate var json: JSONValue {
        [
            "minimum": .rounded(range.lowerBound, 2), "maximum": .rounded(range.upperBound, 2),
            "value": value.map { .rounded($0, 2) } ?? .null,
        ]
    }
}

extension AutomaticControl {
    fileprivate var json: JSONValue { ["control": .string(name), "manual": manual.json] }
}
