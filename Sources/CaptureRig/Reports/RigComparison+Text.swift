import CaptureBase

extension RigComparison {
    /// The comparison for people: what differs between the runs, each difference, and the counts.
    ///
    /// Those that are equal are counted alone.
    package var lines: [String] {
        // The worst comes first: a reader who stops early has read the important part.
        let shown: [Kind] = [.worse, .better, .changed, .gone, .new]
        let changed = verdicts.sorted { $0.kind == .worse && $1.kind != .worse }
        return remarks + changed.map(\.text) + shown.flatMap { kind in measures.filter { $0.kind == kind }.map(\.text) }
            + onlyBefore.map { "gone     \($0.visible)" } + onlyAfter.map { "new      \($0.visible)" } + [summary]
    }

    /// Counts of the measures in one sentence.
    package var summary: String {
        let counts = [Kind.better, .worse, .changed, .equal].map { "\(count($0)) \($0.rawValue)" }
        let part = RigWords.number(tolerance * 100)
        return "\(counts.joined(separator: ", ")) (equal: within \(part) % or the spread of the repeats)."
    }

    /// The comparison for programs, in which every measure is listed.
    package var document: JSONValue {
        [
            "schema": "capturegate.rig-comparison/1", "tolerance": .number(tolerance), "worse": .bool(isWorse),
            "counts": .object(Kind.allCases.map { ($0.rawValue, .count(count($0))) }),
            "remarks": .strings(remarks), "verdicts": .array(verdicts.map(\.json)),
            "measures": .array(measures.map(\.json)), "only_before": .strings(onlyBefore),
            "only_after": .strings(onlyAfter),
        ]
    }
}

extension RigComparison.Kind {
    /// Word in a separate column.
    fileprivate var column: String { rawValue + String(repeating: " ", count: max(1, 9 - rawValue.count)) }
}

extension RigComparison.VerdictChange {
    /// `worse    camera.rate.desk: pass → fail`.
    fileprivate var text: String { "\(kind.column)\(result.visible): \(before.rawValue) → \(after.rawValue)" }

    fileprivate var json: JSONValue {
        [
            "result": .string(result), "before": .string(before.rawValue), "after": .string(after.rawValue),
            "kind": .string(kind.rawValue),
        ]
    }
}

extension RigComparison.MeasureChange {
    /// Both numbers, and the difference as a part of the earlier one if that is meaningful.
    fileprivate var text: String {
        let numbers = "\(Self.number(before)) → \(Self.number(after))"
        let unit = unit.isEmpty ? "" : " \(unit.visible)"
        return "\(kind.column)\(result.visible) \(measure.visible): \(numbers)\(unit)\(part)"
    }

    private static func number(_ value: Double?) -> String { value.map(RigWords.number) ?? "none" }

    /// The difference in percent of the earlier number, with its sign; empty if that would divide by nothing.
    private var part: String {
        guard let before, let after, before != 0 else { return "" }
        // Beyond a tenth of a percent nobody reads on.
        let percent = ((after - before) / abs(before) * 1000).rounded() / 10
        return " (\(percent < 0 ? "−" : "+")\(RigWords.number(abs(percent))) %)"
    }

    /// A number that was not measured is null; `allowed` lets a program judge the difference itself.
    fileprivate var json: JSONValue {
        [
            "result": .string(result), "measure": .string(measure), "unit": .string(unit),
            "before": before.map { .number($0) } ?? .null, "after": after.map { .number($0) } ?? .null,
            "allowed": .number(allowed), "kind": .string(kind.rawValue),
        ]
    }
}
