import CaptureBase
import CaptureRig
import Testing

/// A report of results that each have one measure.
private func report(_ results: [CheckResult], kernel: String = "6.12") -> RigReport {
    RigReport(
        plan: "p", profile: "bench", host: .init(name: "h", kernel: kernel, machine: "x86_64", versions: [:]),
        began: "", seconds: 0, end: .complete, results: results)
}

private func result(_ name: String = "r", _ measures: Measure..., verdict: Verdict? = nil, round: Int = 1)
    -> CheckResult
{
    CheckResult(
        name: round > 1 ? "\(name).\(round)" : name, check: "c", round: round, verdict: verdict, measures: measures)
}

private func measure(_ value: Double?, _ direction: Measure.Direction, limit: Limit? = nil) -> Measure {
    Measure("m", value, "Hz", direction, limit: limit)
}

@Suite("Comparisons of reports")
struct RigComparisonTests {
    private func kind(
        _ before: Double?, _ after: Double?, _ direction: Measure.Direction, limit: Limit? = nil
    ) -> RigComparison.Kind? {
        let comparison = RigComparison(
            report([result("r", measure(before, direction, limit: limit))]),
            report([result("r", measure(after, direction, limit: limit))]))
        return comparison.measures.first?.kind
    }

    @Test("More is better or worse by the measure's direction")
    func directions() {
        #expect(kind(10, 11, .higher) == .better)
        #expect(kind(10, 9, .higher) == .worse)
        #expect(kind(10, 11, .lower) == .worse)
        #expect(kind(10, 9, .lower) == .better)
        #expect(kind(10, 11, .none) == .changed)
        #expect(kind(10, 11, .target) == .changed)
    }

    @Test("At a target the nearer number is the better one, from either side")
    func targets() {
        let limit = Limit.within(1, of: 30)
        #expect(kind(29.9, 28.9, .target, limit: limit) == .worse)
        #expect(kind(29, 30.1, .target, limit: limit) == .better)
        #expect(kind(29.5, 30.5, .target, limit: limit) == .equal)
    }

    @Test("A difference of a hundredth is equal, and one from nothing is not")
    func tolerance() {
        #expect(kind(100, 101, .lower) == .equal)
        #expect(kind(100, 101.1, .lower) == .worse)
        #expect(kind(-100, -101.1, .lower) == .better)
        #expect(kind(0, 0, .lower) == .equal)
        #expect(kind(0, 1, .lower) == .worse)
        let strict = RigComparison(
            report([result("r", measure(100, .lower))]), report([result("r", measure(101, .lower))]), tolerance: 0)
        #expect(strict.measures.map(\.kind) == [.worse])
    }

    @Test("A number that is not measured any more is worse")
    func unmeasured() {
        #expect(kind(1, nil, .none) == .worse)
        #expect(kind(nil, 1, .lower) == .better)
        #expect(kind(nil, nil, .lower) == .equal)
    }

    @Test("The spread over repeats is a tolerance, and the medians are compared")
    func repeats() {
        func runs(_ values: [Double]) -> RigReport {
            report(values.enumerated().map { result("r", measure($1, .lower), round: $0 + 1) })
        }
        let noisy = RigComparison(runs([10, 14, 11]), runs([13, 13, 14]))
        #expect(noisy.measures.map(\.kind) == [.equal])
        #expect(noisy.measures.first?.before == 11)
        #expect(noisy.measures.first?.after == 13)
        #expect(noisy.measures.first?.allowed == 4)
        #expect(RigComparison(runs([10, 10.1, 10]), runs([13, 13, 13.1])).measures.map(\.kind) == [.worse])
        #expect(RigComparison(runs([10, 10.1]), runs([13])).onlyBefore.isEmpty)
    }

    @Test("A name that ends like a repeat's and is none stays as it is")
    func namesLikeRepeats() {
        let comparison = RigComparison(report([result("r.2"), result("r")]), report([result("r")]))
        #expect(comparison.onlyBefore == ["r.2"])
    }

    @Test(
        "Verdicts get better and worse, and a limit or a check that did not run is neither",
        arguments: [
            (Verdict.pass, Verdict.fail, RigComparison.Kind.worse), (.fail, .pass, .better), (.pass, .marginal, .worse),
            (.done, .pass, .changed), (.pass, .done, .changed), (.pass, .skip, .worse), (.fail, .skip, .changed),
            (.pass, .miss, .worse), (.error, .pass, .better),
        ])
    func verdicts(before: Verdict, after: Verdict, kind: RigComparison.Kind) {
        let comparison = RigComparison(report([result(verdict: before)]), report([result(verdict: after)]))
        #expect(comparison.verdicts.map(\.kind) == [kind])
        #expect(comparison.isWorse == (kind == .worse))
    }

    @Test("Of repeats the worst verdict counts")
    func worstOfRepeats() {
        let before = report([result(verdict: .pass), result(verdict: .fail, round: 2)])
        let after = report([result(verdict: .pass), result(verdict: .pass, round: 2)])
        #expect(RigComparison(before, after).verdicts.map(\.before) == [.fail])
        #expect(RigComparison(before, before).verdicts.isEmpty)
    }

    @Test("Results and measures of one report alone are told and don't make it worse")
    func onlyInOne() {
        let before = report([result("a"), result("b", measure(1, .lower))])
        let after = report([result("b", Measure("n", 1, "Hz", .lower)), result("c")])
        let comparison = RigComparison(before, after)
        #expect(comparison.onlyBefore == ["a"])
        #expect(comparison.onlyAfter == ["c"])
        #expect(comparison.measures.map(\.kind) == [.new, .gone])
        #expect(!comparison.isWorse)
    }

    @Test("A measure in another unit is changed, whatever its number")
    func units() {
        let comparison = RigComparison(
            report([result("r", Measure("m", 1, "s", .lower))]), report([result("r", Measure("m", 1000, "ms", .lower))])
        )
        #expect(comparison.measures.map(\.kind) == [.changed])
    }

    @Test("People read what differs, the worse first, and the counts")
    func text() {
        let before = report([
            result("a", measure(30, .higher), verdict: .pass), result("b", measure(2, .lower)),
            result("e", measure(1, .lower)), result("gone"),
        ])
        let after = report(
            [
                result("b", measure(1, .lower)), result("a", measure(28.5, .higher), verdict: .fail),
                result("e", measure(1, .lower)),
            ], kernel: "6.13")
        #expect(
            RigComparison(before, after).lines == [
                "kernel: 6.12 before, 6.13 after", "worse    a: pass → fail", "worse    a m: 30 → 28.5 Hz (−5 %)",
                "better   b m: 2 → 1 Hz (−50 %)", "gone     gone",
                "1 better, 1 worse, 0 changed, 1 equal (equal: within 1 % or the spread of the repeats).",
            ])
    }

    @Test("Programs read every measure")
    func json() {
        let comparison = RigComparison(
            report([result("r", measure(1, .lower))]), report([result("r", measure(nil, .lower), verdict: .fail)]))
        #expect(
            comparison.document.text == """
                {"schema":"capturegate.rig-comparison/1","tolerance":0.01,"worse":true,"counts":{"better":0,"worse":1,\
                "equal":0,"changed":0,"gone":0,"new":0},"remarks":[],"verdicts":[{"result":"r","before":"done",\
                "after":"fail","kind":"worse"}],"measures":[{"result":"r","measure":"m","unit":"Hz","before":1.0,\
                "after":null,"allowed":0.01,"kind":"worse"}],"only_before":[],"only_after":[]}
                """)
    }

    @Test("A report compared with itself is equal")
    func itself() {
        let same = report([result("a", measure(30, .higher)), result("b", measure(nil, .lower))])
        let comparison = RigComparison(same, same)
        #expect(comparison.count(.equal) == 2)
        #expect(comparison.lines.count == 1)
        #expect(!comparison.isWorse)
    }
}
