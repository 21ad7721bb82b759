import CaptureGate

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
