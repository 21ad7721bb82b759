import CaptureBase

extension RigReport {
    /// The document that ``init(readingFrom:)`` reads, with a newline at the end.
    ///
    /// Members are the properties in snake case, and the verdicts and margins that follow from them, so that a program in another
    /// language need not compute them. A number that is not finite is omitted, since JSON has none.
    ///
    /// Standard: RFC 8259 (2017). *thread-safe*
    public var json: String { document.text + "\n" }

    /// The same, as part of another document.
    package var document: JSONValue {
        [
            "schema": .string(schema), "plan": .string(plan), "profile": .string(profile), "host": host.json,
            "began": .string(began), "seconds": .finite(seconds), "end": .string(end.rawValue),
            "verdict": .string(verdict.rawValue), "results": .array(results.map(\.json)),
        ]
    }
}

extension RigReport.Host {
    /// Versions by their names' order: a dictionary has none, and two runs' documents shall differ only where the runs
    /// do.
    fileprivate var json: JSONValue {
        [
            "name": .string(name), "kernel": .string(kernel), "machine": .string(machine),
            "versions": .object(versions.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) }),
        ]
    }
}

extension CheckResult {
    /// Members that are `nil` are omitted, as `Codable` reads them.
    fileprivate var json: JSONValue {
        .members([
            ("name", .string(name)), ("check", .string(check)), ("device", device?.json),
            ("variant", .array(variant.map { ["name": .string($0.name), "value": .string($0.value)] })),
            ("round", .count(round)), ("verdict", .string(verdict.rawValue)), ("message", message.map { .string($0) }),
            ("measures", .array(measures.map(\.json))), ("series", .array(series.map(\.json))),
            ("evidence", .array(evidence.map(\.json))), ("begins", .finite(begins)), ("seconds", .finite(seconds)),
            ("digest", digest.map { .string($0) }),
        ])
    }
}

extension RigDevice {
    /// Also part of formats that take free data.
    var json: JSONValue {
        .members([
            ("name", .string(name)), ("id", .string(id)), ("label", .string(label)),
            ("driver", driver.map { .string($0) }),
        ])
    }
}

extension Measure {
    /// Also what formats without a place for measures carry as text. A member that has no value is null, so that each
    /// measure has the same.
    var json: JSONValue {
        [
            "name": .string(name), "value": .optional(value), "unit": .string(unit),
            "direction": .string(direction.rawValue), "limit": limit?.json ?? .null, "margin": .optional(margin),
            "verdict": .string(verdict.rawValue),
        ]
    }
}

extension Limit {
    /// An infinite bound is omitted.
    package var json: JSONValue {
        .members([
            ("least", .member(least)), ("most", .member(most)), ("marginal_below", .member(marginalBelow)),
            ("marginal_above", .member(marginalAbove)),
        ])
    }
}

extension Series {
    /// Points and limits that can't be drawn are omitted.
    fileprivate var json: JSONValue {
        let drawn = points.filter { $0.x.isFinite && $0.y.isFinite }
        return [
            "name": .string(name), "kind": .string(kind.rawValue), "x": .string(x), "y": .string(y),
            "points": .array(drawn.map { ["x": .number($0.x), "y": .number($0.y)] }),
            "limits": .array(limits.filter(\.isFinite).map { .number($0) }),
        ]
    }
}

extension Evidence {
    /// Also part of formats that take free data.
    var json: JSONValue { ["file": .string(file), "caption": .string(caption)] }
}

extension JSONValue {
    /// A required number: 0 if it is not finite.
    fileprivate static func finite(_ value: Double) -> JSONValue { .number(value.isFinite ? value : 0) }

    /// A number or null.
    fileprivate static func optional(_ value: Double?) -> JSONValue { member(value) ?? .null }

    /// A number, or no member at all.
    fileprivate static func member(_ value: Double?) -> JSONValue? {
        value.flatMap { $0.isFinite ? .number($0) : nil }
    }
}
