import Testing

@testable import CaptureRealtime

@Suite("Gaps in stamps")
struct TimestampGapsTests {
    private static let thirty: Int64 = 33_333_333

    /// Number of frames found missing, by intervals in thousandths of a frame at 30 per second.
    private func missing(_ thousandths: [Int64], nominal: Int64 = thirty) -> UInt64 {
        var gaps = TimestampGaps(interval: nominal)
        return thousandths.reduce(0) { $0 + gaps.missing(after: $1 * Self.thirty / 1000, intervals: 1) }
    }

    private func steady(_ count: Int, _ each: Int64 = 1000) -> [Int64] { Array(repeating: each, count: count) }

    @Test("A hole of whole pictures among steady ones is what is missing", arguments: [2, 3, 7] as [Int64])
    func hole(pictures: Int64) {
        #expect(missing(steady(10) + [1000 * pictures] + steady(10)) == UInt64(pictures - 1))
    }

    @Test("It is told with the picture after it, when that shows that the rate is the same")
    func late() {
        var gaps = TimestampGaps(interval: Self.thirty)
        let told = (steady(6) + [2000, 1000, 1000]).map { gaps.missing(after: $0 * Self.thirty / 1000, intervals: 1) }
        #expect(told == [0, 0, 0, 0, 0, 0, 0, 1, 0])
    }

    @Test("Every tenth and every seventh picture that a driver drops is found", arguments: [10, 7])
    func often(every: Int) {
        let intervals = (1...300).map { $0 % every == 0 ? Int64(2000) : 1000 }
        let holes = intervals.count { $0 == 2000 }
        #expect(missing(intervals + steady(2)) == UInt64(holes))
    }

    @Test("Two holes in turn are two")
    func two() {
        #expect(missing(steady(10) + [2000, 2000] + steady(10)) == 2)
    }

    @Test(
        "A camera that lengthens its exposure loses nothing: half the rate, two thirds, a third, by steps, and back",
        arguments: [
            [2000, 2000, 2000, 2000, 2000, 2000], [1500, 1500, 1500, 1500, 1500], [3000, 3000, 3000, 3000],
            [1200, 1500, 1800, 2000, 2000, 2000, 2000], [1500, 2000, 2000, 2000, 2000, 1500],
        ])
    func darkness(slow: [Int64]) {
        #expect(missing(steady(30) + slow + steady(30) + slow + slow + steady(10)) == 0)
    }

    @Test(
        "A camera that is slower or faster than it says loses nothing", arguments: [500, 1250, 2000, 4000] as [Int64])
    func otherwise(each: Int64) {
        #expect(missing(steady(60, each)) == 0)
        #expect(missing(steady(60, each), nominal: 0) == 0)
    }

    @Test("At its own rate its holes are found", arguments: [500, 2000] as [Int64])
    func otherRate(each: Int64) {
        #expect(missing(steady(20, each) + [2 * each] + steady(20, each)) == 1)
    }

    @Test("A camera that sends every other picture late loses little until that is known for its way, then nothing")
    func alternating() {
        let intervals = (1...300).map { $0 % 2 == 0 ? Int64(2000) : 1000 }
        #expect(missing(intervals) <= 3)
    }

    @Test("A picture that is late and one that is early after it are jitter")
    func jitter() {
        #expect(missing(steady(10) + [1900, 100] + steady(10) + [1600, 400] + steady(10)) == 0)
        #expect(missing((1...200).map { $0 % 2 == 0 ? 1200 : 800 }) == 0)
    }

    @Test("Stamps without sense tell of no hole", arguments: 1...20)
    func nonsense(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let intervals = (0..<200).map { _ in Int64.random(in: 1...4000, using: &random) }
        #expect(missing(intervals) <= 6)
    }

    @Test("What the numbers tell is not told again")
    func numbered() {
        var gaps = TimestampGaps(interval: Self.thirty)
        for _ in 0..<10 { #expect(gaps.missing(after: Self.thirty, intervals: 1) == 0) }
        #expect(gaps.missing(after: 4 * Self.thirty, intervals: 4) == 0)
        #expect(gaps.missing(after: 4 * Self.thirty, intervals: 3) == 0)
        #expect(gaps.missing(after: Self.thirty, intervals: 1) == 1)
    }

    @Test("Spans and numbers at their limits change nothing")
    func limits() {
        var gaps = TimestampGaps(interval: Self.thirty)
        for span in [Int64.max / 4, 1, 0, -5] {
            for intervals in [Int64(1), 1 << 20, 0, -1] {
                #expect(gaps.missing(after: span, intervals: intervals) == 0)
            }
        }
    }
}
