import Testing

@testable import CaptureRig

@Suite("Catalogue of checks")
struct CheckCatalogueTests {
    @Test("Each check has a name of its own, a claim, a way, a source, and measures with names of their own")
    func complete() {
        let all = CheckCatalogue.all
        #expect(Set(all.map(\.name)).count == all.count)
        for check in all {
            #expect(check.name.wholeMatch(of: /[a-z]+\.[a-z_]+/) != nil, "\(check.name)")
            #expect([check.summary, check.method, check.source].allSatisfy { $0.hasSuffix(".") }, "\(check.name)")
            #expect(!check.measures.isEmpty, "\(check.name)")
            #expect(Set(check.measures.map(\.name)).count == check.measures.count, "\(check.name)")
            #expect(Set(check.parameters.map(\.name)).count == check.parameters.count, "\(check.name)")
        }
    }

    @Test("No parameter has the name of a key that every check of a plan has")
    func keys() {
        let names = Set(CheckCatalogue.all.flatMap(\.parameters).map(\.name))
        #expect(names.isDisjoint(with: PlanReader.reservedKeys))
    }

    @Test("A limit has a number that passes and one that does not")
    func limits() {
        for measure in CheckCatalogue.all.flatMap(\.measures) {
            for limit in [measure.bench, measure.certification].compactMap({ $0 }) {
                let inside = limit.least.flatMap { least in limit.most.map { (least + $0) / 2 } }
                let middle = inside ?? limit.least.map { $0 + 1e6 } ?? limit.most.map { $0 - 1e6 } ?? .nan
                #expect(limit.verdict(of: middle) == .pass, "\(measure.name)")
                let outside = limit.most.map { $0 + 1e-6 } ?? limit.least.map { $0 - 1e-6 } ?? .nan
                #expect(limit.verdict(of: outside) == .fail, "\(measure.name)")
            }
        }
    }

    @Test("A certification allows nothing that a bench refuses")
    func profiles() {
        for measure in CheckCatalogue.all.flatMap(\.measures) {
            guard let bench = measure.bench, let strict = measure.certification else { continue }
            #expect((strict.most ?? .infinity) <= (bench.most ?? .infinity), "\(measure.name)")
            #expect((strict.least ?? -.infinity) >= (bench.least ?? -.infinity), "\(measure.name)")
        }
    }

    @Test("A measure of a check has the name, unit and direction of the number that is computed for it")
    func computed() {
        let computed = Self.computed
        let known = Dictionary(grouping: CheckCatalogue.all.flatMap(\.measures), by: \.name)
        for measure in computed {
            for definition in known[measure.name] ?? [] {
                #expect(definition.unit == measure.unit, "\(measure.name)")
                #expect(definition.direction == measure.direction, "\(measure.name)")
            }
        }
    }

    /// Measures of empty input, from all functions that compute some: they have names, units and directions.
    private static var computed: [Measure] {
        let nothing = ClockRate([])
        return FrameTiming([], rate: (30, 1), arrivals: []).measures
            + SoundTiming([], rate: (48_000, 1), asked: 1).measures
            + ClockDrift(of: nothing, against: nothing).measures() + EventSync([]).measures
            + Latencies.firstFrame([]).measures + Latencies.reconfigure([]).measures
            + BlackFrozen().measures + ExpectedFrames([]).measures + ExposureCourse().measures
            + PictureSimilarity.measures(of: nil) + [LumaImage.sharpnessMeasure(of: nil)]
            + SoundMeasures([], rate: 48_000).measures + [SoundMeasures([], rate: 48_000).muteMeasure]
            + GainSteps([]).measures + ToneMeasures.measures(of: nil, expected: 997)
            + ChannelMap.measures(of: nil) + LoopDelay.measures(of: [])
    }
}

@Suite("Measure")
struct MeasureTests {
    @Test("A number that is missing or not finite is an error, never a pass")
    func missing() {
        #expect(Measure("lost", nil, "frames", .lower, limit: Limit(most: 0)).verdict == .error)
        #expect(Measure("lost", .nan, "frames", .lower, limit: Limit(most: 0)).verdict == .error)
        #expect(Measure("lost", .infinity, "frames", .higher).verdict == .error)
    }

    @Test("Bounds are inclusive, a pass near one is marginal, and the margin is negative outside")
    func margins() {
        let limit = Limit(least: -5, most: 5, marginalBelow: -4, marginalAbove: 4)
        let verdicts = [-5.1, -5, -4, 0, 4, 4.1, 5, 5.1].map { Measure("x", $0, "%", .target, limit: limit).verdict }
        #expect(verdicts == [.fail, .marginal, .pass, .pass, .pass, .marginal, .marginal, .fail])
        #expect(Measure("x", 6, "%", .target, limit: limit).margin == -1)
        #expect(Measure("x", 3, "%", .target, limit: limit).margin == 2)
        #expect(Measure("x", 3, "%", .target).margin == nil)
    }

    @Test("The worst measure decides a result, and an error is worse than a failure")
    func worst() {
        let (pass, fail) = (
            Measure("a", 0, "", .lower, limit: Limit(most: 1)), Measure("b", 2, "", .lower, limit: Limit(most: 1))
        )
        #expect(CheckResult(name: "x", check: "x", measures: [pass, fail]).verdict == .fail)
        #expect(CheckResult(name: "x", check: "x", measures: [fail, Measure("c", nil, "", .none)]).verdict == .error)
        #expect(CheckResult(name: "x", check: "x").verdict == .done)
    }
}
