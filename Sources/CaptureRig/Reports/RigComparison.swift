import CaptureBase

/// Differences between two reports, by result and measure: what got better and what got worse.
///
/// Repeats of a result count as one, by the medians of their measures. A difference counts if it exceeds the tolerance: a part of
/// the earlier number, or the spread over the repeats of either run if that is larger. If a rig varies by an amount without a
/// change, a smaller difference shows nothing.
///
/// *thread-safe*
package struct RigComparison: Hashable, Sendable {
    /// Part of the earlier number by which a measure may differ and still count as equal.
    package let tolerance: Double
    /// Every measure of results that are in both reports, in the later one's order.
    package let measures: [MeasureChange]
    /// Results that are in both reports with different verdicts, in the later one's order.
    package let verdicts: [VerdictChange]
    /// Names of results that only the earlier report has.
    package let onlyBefore: [String]
    /// Names of results that only the later report has.
    package let onlyAfter: [String]
    /// Sentences about the runs themselves, such as another kernel.
    package let remarks: [String]

    /// Direction of a difference.
    package enum Kind: String, Hashable, Sendable, CaseIterable {
        case better, worse
        /// Within the tolerance.
        case equal
        /// Different, but not better or worse.
        case changed
        /// Only the earlier report has the measure.
        case gone
        /// Only the later report has the measure.
        case new
    }

    /// Compares two reports.
    ///
    /// - Parameters:
    ///   - before: the earlier report.
    ///   - after: the later one.
    ///   - tolerance: part of the earlier number, 0 or more.
    package init(_ before: RigReport, _ after: RigReport, tolerance: Double = 0.01) {
        let (earlier, later) = (RepeatedResults(before), RepeatedResults(after))
        self.tolerance = tolerance
        let pairs = later.all.compactMap { now in earlier.named(now.name).map { ($0, now) } }
        measures = pairs.flatMap { Self.changes(from: $0, to: $1, tolerance: tolerance) }
        verdicts = pairs.compactMap { VerdictChange($1.name, $0.verdict, $1.verdict) }
        onlyBefore = earlier.all.map(\.name).filter { later.named($0) == nil }
        onlyAfter = later.all.map(\.name).filter { earlier.named($0) == nil }
        remarks = Self.remarks(before, after)
    }

    /// True if a measure or a verdict got worse. Results that only one report has don't count: another plan is no
    /// regression.
    package var isWorse: Bool { measures.contains { $0.kind == .worse } || verdicts.contains { $0.kind == .worse } }

    /// Number of measures of a kind.
    package func count(_ kind: Kind) -> Int { measures.count { $0.kind == kind } }

    /// Measures of a result in both runs; those that only the earlier one has come last.
    private static func changes(
        from before: RepeatedResult, to after: RepeatedResult, tolerance: Double
    ) -> [MeasureChange] {
        let gone = before.measures.filter { after.measure(named: $0.name) == nil }
        return after.measures.map {
            MeasureChange(after.name, before.measure(named: $0.name), $0, tolerance: tolerance)
        } + gone.map { MeasureChange(after.name, $0, nil, tolerance: tolerance) }
    }

    /// Differences between the runs themselves, which may be the reason for all else.
    private static func remarks(_ before: RigReport, _ after: RigReport) -> [String] {
        let pairs = [
            ("plan", before.plan, after.plan), ("profile", before.profile, after.profile),
            ("host", before.host.name, after.host.name), ("kernel", before.host.kernel, after.host.kernel),
            ("end", before.end.rawValue, after.end.rawValue),
        ]
        let versions = Set(before.host.versions.keys).union(after.host.versions.keys).sorted().map {
            ($0, before.host.versions[$0] ?? "none", after.host.versions[$0] ?? "none")
        }
        return (pairs + versions).filter { $1 != $2 }.map { "\($0): \($1) before, \($2) after".visible }
    }
}

extension RigComparison {
    /// Number of a measure in both runs.
    package struct MeasureChange: Hashable, Sendable {
        /// Name of the result, without a repeat's number.
        package let result: String
        package let measure: String
        package let unit: String
        /// Median over the repeats; `nil` if it was not measured.
        package let before: Double?
        package let after: Double?
        /// Difference up to which the two are equal, in ``unit``.
        package let allowed: Double
        package let kind: Kind

        fileprivate init(
            _ result: String, _ before: ComparedMeasure?, _ after: ComparedMeasure?, tolerance: Double
        ) {
            self.result = result
            measure = after?.name ?? before?.name ?? ""
            unit = after?.last.unit ?? before?.last.unit ?? ""
            self.before = before?.median
            self.after = after?.median
            let spread = max(before?.spread ?? 0, after?.spread ?? 0)
            allowed = max(tolerance * abs(before?.median ?? 0), spread)
            kind = Self.kind(before, after, allowed: allowed)
        }

        private static func kind(_ before: ComparedMeasure?, _ after: ComparedMeasure?, allowed: Double) -> Kind {
            guard let before else { return .new }
            guard let after else { return .gone }
            guard before.last.unit == after.last.unit else { return .changed }
            switch (before.median, after.median) {
            case (nil, nil): return .equal
            case (nil, _?): return .better
            case (_?, nil): return .worse
            case (let old?, let new?): return kind(of: new, against: old, after.last, allowed: allowed)
            }
        }

        /// Goodness is taken by the later report's direction and limit: those are what counts now.
        private static func kind(of new: Double, against old: Double, _ measure: Measure, allowed: Double) -> Kind {
            guard let good = measure.goodness(of: new), let known = measure.goodness(of: old) else {
                return abs(new - old) <= allowed ? .equal : .changed
            }
            return abs(good - known) <= allowed ? .equal : good > known ? .better : .worse
        }
    }

    /// Verdicts of a result that differ. Of repeats it is the worst.
    package struct VerdictChange: Hashable, Sendable {
        /// Name of the result, without a repeat's number.
        package let result: String
        package let before: Verdict
        package let after: Verdict
        package let kind: Kind

        fileprivate init?(_ result: String, _ before: Verdict, _ after: Verdict) {
            guard before != after else { return nil }
            self.result = result
            self.before = before
            self.after = after
            kind = Self.kind(before, after)
        }

        /// A limit that a number got or lost changes nothing of the device, and a bad check that did not run is not fixed.
        private static func kind(_ before: Verdict, _ after: Verdict) -> Kind {
            if max(before, after) == .pass { return .changed }
            if after == .skip, before > .skip { return .changed }
            return after > before ? .worse : .better
        }
    }
}

extension Measure {
    /// The number as one of which more is better, in ``unit``; `nil` if none is better.
    fileprivate func goodness(of value: Double) -> Double? {
        switch direction {
        case .lower: -value
        case .higher: value
        case .target: limit.flatMap { limit in limit.middle.map { -abs(value - $0) } }
        case .none: nil
        }
    }
}

extension Limit {
    /// The target of a limit with two bounds.
    fileprivate var middle: Double? {
        guard let least, let most else { return nil }
        return (least + most) / 2
    }
}

/// A report's results, with the repeats of each as one.
private struct RepeatedResults {
    /// In the report's order.
    let all: [RepeatedResult]
    private let places: [String: Int]

    init(_ report: RigReport) {
        all = report.results.grouped { CheckResult.nameOfAllRepeats($0.name, round: $0.round) }
            .map { RepeatedResult(name: $0.key, repeats: $0.elements) }
        places = Dictionary(uniqueKeysWithValues: all.enumerated().map { ($1.name, $0) })
    }

    func named(_ name: String) -> RepeatedResult? { places[name].map { all[$0] } }
}

/// All repeats of a result.
private struct RepeatedResult {
    let name: String
    let verdict: Verdict
    let measures: [ComparedMeasure]

    init(name: String, repeats: [CheckResult]) {
        self.name = name
        verdict = repeats.map(\.verdict).max() ?? .done
        measures = repeats.flatMap(\.measures).grouped(by: \.name).map { ComparedMeasure($0.elements) }
    }

    func measure(named name: String) -> ComparedMeasure? { measures.first { $0.name == name } }
}

/// All numbers of a measure. At least one repeat has it.
private struct ComparedMeasure {
    /// The last repeat's, for unit, direction and limit.
    let last: Measure
    private let values: [Double]

    /// - Parameter repeats: one at least.
    init(_ repeats: [Measure]) {
        last = repeats[repeats.count - 1]
        values = repeats.compactMap(\.value)
    }

    var name: String { last.name }

    /// `nil` if nothing was measured.
    var median: Double? { TimingSample(values)?.median }

    /// Difference of the largest and the smallest value.
    var spread: Double { TimingSample(values).map { $0.most - $0.least } ?? 0 }
}
