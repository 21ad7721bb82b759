import CaptureBase

extension RigPlan {
    /// The same plan with some of its checks. Commands between them stay: the remaining checks may need the light that they switch
    /// on.
    ///
    /// - Parameter names: names of checks, `camera.rate`, or of results, `camera.rate.desk` with all its repeats; `*` matches any
    ///   characters. Empty for all checks.
    /// - Throws: `CaptureError` of kind `.usage` for a name that no check of the plan has, with similar ones.
    package func only(_ names: [String]) throws(CaptureError) -> RigPlan {
        if names.isEmpty { return self }
        for name in names where !checks.contains(where: { $0.answers(to: NamePattern(name)) }) {
            throw noCheck(name)
        }
        let patterns = names.map { NamePattern($0) }
        let isWanted = { (check: PlannedCheck) in patterns.contains { check.answers(to: $0) } }
        var plan = self
        plan.steps = steps.compactMap { $0.only(isWanted) }
        return plan
    }

    /// All checks in the order of the plan.
    package var checks: [PlannedCheck] { steps.flatMap(\.checks) }

    private func noCheck(_ name: String) -> CaptureError {
        var seen: Set<String> = []
        let known = checks.map(\.check).filter { seen.insert($0).inserted }
        let advice = PlanMistakes.advice(on: name, among: known)
        return CaptureError(
            .usage, "The plan has no check or result \(PlanMistakes.quoted(name)): \(advice).",
            remedies: [Remedy("Write the name of a check or result. `*` matches any characters.")])
    }
}

extension PlanStep {
    /// Checks of this step; none of a command.
    package var checks: [PlannedCheck] {
        switch self {
        case .check(let check): [check]
        case .parallel(let checks): checks
        case .command: []
        }
    }

    /// The step with those checks that are wanted; `nil` without any.
    fileprivate func only(_ isWanted: (PlannedCheck) -> Bool) -> PlanStep? {
        switch self {
        case .command: return self
        case .check(let check): return isWanted(check) ? self : nil
        case .parallel(let checks):
            let left = checks.filter(isWanted)
            return left.isEmpty ? nil : .parallel(left)
        }
    }
}

extension PlannedCheck {
    /// True for a pattern of the check, of the result, or of the result without its repeat.
    fileprivate func answers(to pattern: NamePattern) -> Bool {
        pattern.matches(check) || pattern.matches(name) || round > 1 && pattern.matches(nameOfAllRepeats)
    }

    /// Name that all repeats have in common, which is the first one's.
    package var nameOfAllRepeats: String { CheckResult.nameOfAllRepeats(name, round: round) }
}

/// A name with `*` for any characters, also for none.
///
/// *thread-safe*
package struct NamePattern: Hashable, Sendable {
    private let parts: [[UInt8]]

    package init(_ text: String) {
        parts = text.utf8.split(separator: UInt8(ascii: "*"), omittingEmptySubsequences: false).map(Array.init)
    }

    /// True if the whole name fits. Takes a time that grows with the product of the two lengths at most.
    package func matches(_ name: String) -> Bool {
        var rest = Array(name.utf8)[...]
        guard let first = parts.first, let last = parts.last, rest.starts(with: first) else { return false }
        guard parts.count > 1 else { return rest.count == first.count }
        rest = rest.dropFirst(first.count)
        // The earliest place of each part leaves the most text for the later parts.
        for part in parts.dropFirst().dropLast() {
            guard let end = Self.end(of: part, in: rest) else { return false }
            rest = rest[end...]
        }
        return rest.count >= last.count && rest.suffix(last.count).elementsEqual(last)
    }

    /// Index after the first occurrence of a part.
    private static func end(of part: [UInt8], in bytes: ArraySlice<UInt8>) -> Int? {
        guard part.count <= bytes.count else { return nil }
        let starts = bytes.startIndex...(bytes.endIndex - part.count)
        return starts.first { bytes[$0...].starts(with: part) }.map { $0 + part.count }
    }
}
