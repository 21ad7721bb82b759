import CaptureBase
import FoundationEssentials

/// Names under which a report is submitted to KCIDB, the kernel testers' common database.
///
/// *thread-safe*
package struct KCIDBNames: Hashable, Sendable {
    /// Default name of the submitting system.
    package static let usualOrigin = "capturegate"

    /// Name of the submitting system: lower-case letters, digits and underscores.
    package let origin: String
    /// Id of this run, unique for the origin.
    package let run: String?
    /// Id of a build that somebody submitted already, with its origin, as `maestro:1234`; `nil` makes one of the host's
    /// kernel.
    package let build: String?

    /// - Parameters:
    ///   - origin: name of the submitting system; what its pattern forbids becomes an underscore.
    ///   - run: id of this run; `nil` makes one of the host, the plan and the time.
    ///   - build: id of a build that is known there.
    package init(origin: String = usualOrigin, run: String? = nil, build: String? = nil) {
        self.origin = Self.word(origin)
        self.run = run
        self.build = build
    }

    /// Lower-case letters, digits and underscores only: any other character becomes an underscore.
    fileprivate static func word(_ text: String) -> String {
        String(RigWords.identifier(text.lowercased()).map { ".-".contains($0) ? "_" : $0 })
    }
}

extension RigReport {
    /// The report as a submission to KCIDB: one test per measure, and one for the whole result.
    ///
    /// A test's path is `capturegate.CHECK.MEASURE`, and its comment the result's name. Numbers are only in the fields that the
    /// database reads. Without the id of a known build, a checkout and a build are made of the host's kernel.
    ///
    /// - Parameter names: origin and ids.
    /// - Returns: the document, with a newline at the end.
    ///
    /// Standard: KCIDB's schema 5.3. *thread-safe*
    package func kcidb(_ names: KCIDBNames = KCIDBNames()) -> String {
        KCIDBSubmission(report: self, names: names).document.text + "\n"
    }
}

/// A report on its way to KCIDB. No member is null: the schema forbids it.
private struct KCIDBSubmission {
    let report: RigReport
    let names: KCIDBNames

    var document: JSONValue {
        let tests = report.results.flatMap(tests)
        var members: [(String, JSONValue)] = [("version", ["major": 5, "minor": 3])]
        if names.build == nil { members += [("checkouts", [checkout]), ("builds", [build])] }
        return .object(members + [("tests", .array(tests))])
    }

    private var checkoutID: String { id("kernel/\(report.host.kernel)") }
    private var buildID: String { names.build ?? id("kernel/\(report.host.kernel)/\(architecture)") }

    private var checkout: JSONValue {
        ["id": .string(checkoutID), "origin": .string(names.origin), "comment": .string(kernel), "valid": true]
    }

    private var build: JSONValue {
        [
            "checkout_id": .string(checkoutID), "id": .string(buildID), "origin": .string(names.origin),
            "comment": .string(kernel), "architecture": .string(architecture), "status": "PASS",
        ]
    }

    private var run: String { names.run ?? "\(report.host.name)/\(report.plan)/\(report.began)" }

    private var kernel: String { Self.text("Linux \(report.host.kernel)") }

    /// As of uname(2).
    private var architecture: String { KCIDBNames.word(report.host.machine) }

    /// The result as a whole comes first: a check that never measured has a test, too.
    private func tests(of result: CheckResult) -> [JSONValue] {
        let whole = members(of: result, measure: nil, verdict: result.verdict)
        let parts = result.measures.map { members(of: result, measure: $0, verdict: $0.verdict) }
        return ([whole] + parts).map { .members($0) }
    }

    private func members(of result: CheckResult, measure: Measure?, verdict: Verdict) -> [(String, JSONValue?)] {
        let leaf = measure.map { ".\($0.name)" } ?? ""
        let start = KCIDBTime.text(report.began, after: result.begins)
        return [
            ("build_id", .string(buildID)), ("id", .string(id("\(run)/\(result.name)\(leaf)"))),
            ("origin", .string(names.origin)), ("environment", environment(of: result)),
            ("path", .string(Self.path("capturegate.\(result.check)\(leaf)"))),
            ("comment", .string(Self.text(result.name))),
            ("log_excerpt", result.explanation.map { .string(String($0.unicodeScalars.prefix(16_384))) }),
            ("status", .string(Self.status(of: verdict))), ("number", measure.flatMap(Self.number)),
            ("start_time", start.map { .string($0) }),
            ("duration", result.seconds.isFinite ? .number(result.seconds) : nil),
            ("misc", misc(of: result, measure: measure)),
        ]
    }

    /// Value and unit; an empty unit is omitted, which means a ratio in the schema.
    private static func number(of measure: Measure) -> JSONValue? {
        guard let value = measure.value else { return nil }
        return .members([
            ("value", .number(value)), ("unit", measure.unit.isEmpty ? nil : .string(text(measure.unit))),
        ])
    }

    /// The bench and the device. It repeats in each test, because the database knows no object for it.
    private func environment(of result: CheckResult) -> JSONValue {
        let label = result.device.map { ", \($0.label)" } ?? ""
        let versions = report.host.versions.sorted { $0.key < $1.key }.map { ($0.key, JSONValue.string($0.value)) }
        return [
            "comment": .string(Self.text(report.host.name + label)),
            "misc": .members([("device", result.device?.json), ("versions", .object(versions))]),
        ]
    }

    /// Free data, which KCIDB has no member for: the limit and the margin of a measure, the variant and the files of a
    /// result.
    private func misc(of result: CheckResult, measure: Measure?) -> JSONValue {
        let variant = result.variant.map { ($0.name, JSONValue.string($0.value)) }
        return .members([
            ("plan", .string(report.plan)), ("profile", .string(report.profile)), ("round", .count(result.round)),
            ("verdict", .string((measure?.verdict ?? result.verdict).rawValue)), ("variant", .object(variant)),
            ("measure", measure?.json),
            ("evidence", measure == nil ? .array(result.evidence.map(\.json)) : nil),
        ])
    }

    private func id(_ rest: String) -> String { Self.text("\(names.origin):\(rest)") }

    /// Words of letters, digits, hyphens and underscores between single points.
    private static func path(_ text: String) -> String {
        RigWords.identifier(text).split(separator: ".").joined(separator: ".")
    }

    /// No text of the schema may have a NUL; it and its like are shown.
    private static func text(_ text: String) -> String { text.visible }

    private static func status(of verdict: Verdict) -> String {
        switch verdict {
        case .done: "DONE"
        case .pass, .marginal: "PASS"
        case .skip: "SKIP"
        case .fail: "FAIL"
        case .miss: "MISS"
        case .error: "ERROR"
        }
    }
}

/// Times of RFC 3339.
private enum KCIDBTime {
    /// Moment this number of seconds after another; `nil` for one that is not RFC 3339, or seconds beyond a year.
    static func text(_ began: String, after seconds: Double) -> String? {
        let whole = Date.ISO8601FormatStyle()
        let parts = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        guard (0...31_622_400).contains(seconds), let date = (try? whole.parse(began)) ?? (try? parts.parse(began))
        else {
            return nil
        }
        return parts.format(date.addingTimeInterval(seconds))
    }
}
