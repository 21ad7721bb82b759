import CaptureGate

/// Controls of a device, for people and for programs.
struct ControlReport {
    let device: Device
    private let results: [ControlResult]
    private let failures: [ControlReset.Failure]
    /// True if all controls were asked for, with their ranges.
    let isListing: Bool

    init(device: Device, outcome: ControlOutcome, isListing: Bool) {
        self.device = device
        results = outcome.results
        failures = outcome.failures
        self.isListing = isListing
    }

    /// Table with ranges and menu items where all were asked for; else one line per control.
    func lines(_ style: TextStyle) -> [String] {
        guard isListing else { return results.map(line) }
        guard !results.isEmpty else { return ["\(titled) has no controls."] }
        // Laid out before the items are put between: they must not widen the columns.
        let rows = Table(rows: results.map { Self.row($0.control) }).lines
        let title = style.bold(titled)
        return [title] + zip(results, rows).flatMap { [$1] + Self.items($0.control, style) }
    }

    /// Controls for programs, one shape for listing, reading and setting.
    var json: JSONValue {
        ["device": .string(device.id.rawValue), "controls": .array(results.map(\.json))]
    }

    /// Error about controls that did not take their defaults; `nil` where all did.
    var incompleteness: CaptureError? {
        guard let first = failures.first else { return nil }
        // All are named, with the kind of the first: causes of a reset are mostly one and the same.
        let names = failures.map(\.control.name).joined(separator: ", ")
        return CaptureError(
            first.error.kind, "\(titled) kept other values than its defaults: \(names).",
            errno: first.error.errno, underlying: failures.map(\.error))
    }

    /// Error of `--strict` about controls that took another value; `nil` where all are as asked.
    var deviation: CaptureError? {
        let others = results.filter { !$0.isAsAsked }
        guard !others.isEmpty else { return nil }
        // Drivers clamp and round silently (V4L2's VIDIOC_S_CTRL may), so what was set is compared with what
        // was read back.
        let sentences = others.map { "\($0.control.name) \($0.asked?.text ?? "") asked, \($0.control.shown) got" }
        return CaptureError(
            .notAsAsked,
            "\(titled) does otherwise than asked: \(sentences.joined(separator: "; ")).",
            remedies: [Remedy("Leave --strict out, to take what it gives.")])
    }

    /// Name and id of the device.
    private var titled: String { "\(device.name.visible) [\(device.id.rawValue.visible)]" }

    /// Line about one control, with the wish where the device did otherwise.
    private func line(_ result: ControlResult) -> String {
        let asked = result.isAsAsked ? "" : " (\((result.asked?.text ?? "").visible) asked)"
        return "\(result.control.name): \(result.control.shown)\(asked)"
    }

    /// Cells of a control's row: name, kind, value, and what may be set.
    private static func row(_ control: DeviceControl) -> [String] {
        // A menu's range is its items, which follow below.
        let isMenu = control.kind == .menu || control.kind == .integerMenu
        let range = isMenu ? "" : control.rangeDescription
        let standard = control.defaultValue.map { "default \($0)" } ?? ""
        let notes = control.flags.words.joined(separator: ", ")
        let rest = [range, standard, notes].filter { !$0.isEmpty }.joined(separator: "; ")
        return ["  " + control.name, control.kind.rawValue, control.shown, rest]
    }

    /// Lines of a menu's items; the current one stands out.
    private static func items(_ control: DeviceControl, _ style: TextStyle) -> [String] {
        control.items.map { item in
            let line = "      \(item.number): \(item.name.visible)"
            return control.value == .integer(item.number) ? line : style.faint(line)
        }
    }
}

extension DeviceControl {
    /// Value as a person reads it.
    var shown: String {
        switch value {
        case nil: return kind == .button ? "button" : "-"
        case .text(let text): return "'\(text.visible)'"
        case .decibels(let level): return "\(level)dB"
        // Bit masks are read as hexadecimal, as v4l2-ctl shows them.
        case .integer(let number) where kind == .bitmask: return "0x\(String(UInt64(bitPattern: number), radix: 16))"
        case .integer(let number): return "\(number)\(meaning(number))"
        }
    }

    /// Meaning of a number behind it: a menu's item, on or off, decibels.
    private func meaning(_ number: Int64) -> String {
        if kind == .boolean { return number == 0 ? " (off)" : " (on)" }
        if let item = items.first(where: { $0.number == number }) { return " (\(item.name.visible))" }
        // A control with a range in decibels but no value at this number is at mute.
        guard let decibels else { return "" }
        return decibels.value.map { " (\(NumberText.fixed($0, 2))dB)" } ?? " (silence)"
    }
}

extension ControlResult {
    /// Control for programs; "asked" and "as_asked" only where it was set.
    var json: JSONValue {
        var members = control.members
        if let asked { members += [("asked", asked.json), ("as_asked", .bool(isAsAsked))] }
        return .object(members)
    }
}

extension DeviceControl {
    /// Members of every control. Names and flags are V4L2's and ALSA's in lower case; "items" is empty for
    /// all but menus.
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
    /// Value in its own JSON type, so that a reader need not parse numbers.
    fileprivate var json: JSONValue {
        switch self {
        case .integer(let number): .integer(number)
        case .text(let text): .string(text)
        case .decibels(let level): .rounded(level, 2)
        }
    }
}

extension ControlDecibels {
    /// Range and value in decibels; ALSA gives hundredths, so two digits are exact.
    fileprivate var json: JSONValue {
        [
            "minimum": .rounded(range.lowerBound, 2), "maximum": .rounded(range.upperBound, 2),
            "value": value.map { .rounded($0, 2) } ?? .null,
        ]
    }
}

extension AutomaticControl {
    /// Control that takes this one over while it is on automatic, and its value for manual.
    fileprivate var json: JSONValue { ["control": .string(name), "manual": manual.json] }
}
