import CaptureRig
import Testing

@Suite("exposure")
struct ExposureMeasuresTests {
    private static func course(_ lumas: [Double], from start: Double = 5) -> ExposureCourse {
        lumas.enumerated().reduce(into: ExposureCourse()) {
            $0.add(seconds: start + Double($1.offset) / 32, luma: $1.element)
        }
    }

    private static func ramp(_ frames: Int, count: Int) -> [Double] {
        (0..<count).map { 40 + 80 * Double(min($0, frames)) / Double(frames) }
    }

    @Test("a ramp settles at the frame at which it ends", arguments: [5, 16, 29])
    func ramp(_ frames: Int) {
        let course = Self.course(Self.ramp(frames, count: 64))
        #expect(course.settledFrame == frames)
        #expect(course.settles == Double(frames) / 32)
        #expect(course.flicker == 0)
        #expect(course.measures.map(\.value) == [Double(frames) / 32, 0, 120, 0])
    }

    @Test("a steady stream with noise has settled from the start, for any seed", arguments: 0..<50)
    func steady(_ seed: Int) throws {
        var numbers = SeededGenerator(seed)
        let course = Self.course((0..<60).map { _ in 118 + 0.8 * numbers.number() })
        #expect(course.settles == 0)
        #expect(try #require(course.flicker) < 1)
    }

    @Test("a pause on the way is not the end")
    func pause() {
        let lumas = [Double](repeating: 40, count: 20) + [Double](repeating: 120, count: 20)
        #expect(Self.course(lumas).settledFrame == 20)
    }

    @Test("one that hunts to the end never settles, and both of its numbers say so")
    func hunting() throws {
        let course = Self.course((0..<64).map { 100 + ($0 % 2 == 0 ? 4 : -4) })
        #expect(course.settles == nil)
        let values = course.measures.map(\.value)
        #expect(values[0] == 63.0 / 32)
        #expect(try #require(values[1]) > 2)
        #expect(try #require(course.flicker) == 4)
    }

    @Test("fewer than five frames, numbers that are none, and times that go back give no values and no trap")
    func nothing() {
        var course = ExposureCourse()
        #expect(course.measures.allSatisfy { $0.value == nil })
        #expect(course.series.points.isEmpty)
        for luma in [1.0, 2, 3, 4] { course.add(seconds: 1, luma: luma) }
        course.add(seconds: .nan, luma: 1)
        course.add(seconds: 2, luma: .infinity)
        course.add(seconds: 0.5, luma: 1)
        #expect(course.measures.allSatisfy { $0.value == nil })
        #expect(course.series.points.count == 4)
    }

    @Test("a black picture has settled: it has no relative change")
    func black() {
        #expect(Self.course([Double](repeating: 0, count: 9)).measures.map(\.value) == [0, 0, 0, 0])
    }

    @Test("a plot of an hour has 2,000 points at most")
    func plot() {
        let points = Self.course([Double](repeating: 90, count: 30_000)).series.points
        #expect(points.count <= 2000 && points.count > 1000)
        #expect(points[0].x == 0)
    }
}
