import Testing

@testable import CaptureRig

@Suite("statistics of timing")
struct TimingStatisticsTests {
    @Test("a sample has the moments and ranks of its values")
    func sample() throws {
        let sample = try #require(TimingSample([2, 4, 4, 4, 5, 5, 7, 9]))
        #expect((sample.mean, sample.variance, sample.median) == (5, 4, 4.5))
        #expect((sample.least, sample.most) == (2, 9))
        #expect([0, 0.25, 0.5, 0.51, 1].map(sample.percentile) == [2, 4, 4, 5, 9])
        #expect(TimingSample([]) == nil)
    }

    @Test("small differences between large numbers are kept")
    func largeNumbers() throws {
        let sample = try #require(TimingSample((0..<100_000).map { 1e15 + Double($0 % 2) }))
        #expect((sample.mean - 1e15, sample.variance) == (0.5, 0.25))
    }

    @Test("stretches of different heights have one slope")
    func stretches() throws {
        let stretches = (0..<5).map { (stretch: Int) -> [Series.Point] in
            let height = Double(stretch) * 1e6
            return (0..<20).map { (index: Int) -> Series.Point in
                Series.Point(Double(stretch * 20 + index), height + 0.25 * Double(index))
            }
        }
        let fit = try #require(SlopeFit(stretches))
        #expect(isNear(fit.slope, 0.25, by: 1e-9))
        #expect(isNear(fit.deviation, 0, by: 1e-6))
        #expect(fit.residuals.map(\.x) == (0..<100).map(Double.init))
    }

    @Test("points of one time, and stretches of one point, have no slope")
    func noSlope() {
        #expect(SlopeFit([]) == nil)
        #expect(SlopeFit([[Series.Point(1, 1)], [Series.Point(2, 5)]]) == nil)
        #expect(SlopeFit([[Series.Point(1, 1), Series.Point(1, 5)]]) == nil)
    }

    @Test("the uncertainty of many short stretches covers the true slope nineteen times in twenty")
    func coverage() {
        let hits = (1...200 as ClosedRange<UInt64>).count { seed in
            var numbers = SeededGenerator(seed: seed)
            let stretches = (0..<100).map { stretch in
                (0..<16).map { Series.Point(Double(stretch * 16 + $0), Double($0) + numbers.normal()) }
            }
            guard let fit = SlopeFit(stretches) else { return false }
            return isNear(fit.slope, 1, by: fit.uncertainty ?? 0)
        }
        #expect((180...199).contains(hits))
    }

    @Test("a histogram counts each value once, in bars of equal width")
    func histogram() {
        let values = (0..<1_000).map { Double($0 % 10) } + [500]
        let series = Series.histogram("h", x: "x", y: "y", values, finest: 0.001)
        let steps = Set(zip(series.points, series.points.dropFirst()).map { (($1.x - $0.x) * 1e6).rounded() })
        #expect(series.points.reduce(0) { $0 + $1.y } == 1_001)
        #expect(steps.count == 1)
        #expect(series.points.last?.y == 1)
        #expect(series.points.count <= 2_000)
    }

    @Test("equal values are one bar")
    func oneBar() {
        let series = Series.histogram("h", x: "x", y: "y", [7, 7, 7], finest: 0.5)
        #expect(series.points.filter { $0.y > 0 }.map(\.y) == [3])
    }
}
