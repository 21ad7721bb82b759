import Testing

@testable import CaptureRig

@Suite("timing of sound")
struct SoundTimingTests {
    private static let asked: Int64 = 4_000_000_000

    private static func timing(_ periods: [TimedPeriod], asked: Int64? = nil) -> SoundTiming {
        SoundTiming(periods, rate: VirtualMicrophone.rate, asked: asked)
    }

    @Test("a perfect microphone has its rate, and nothing is off")
    func perfect() {
        let timing = Self.timing(VirtualMicrophone().periods(400), asked: Self.asked)
        #expect(isNear(timing.rate, 48_000, by: 1e-4))
        #expect(isNear(timing.rateError, 0, by: 1e-7))
        #expect(isNear(timing.rateResidual, 0, by: 1e-3))
        #expect(isNear(timing.durationError, 0, by: 1e-6))
        #expect([timing.xruns, timing.lost, timing.ledgerDifference, timing.stepDeviation] == [0, 0, 0, 0])
        #expect(timing.stepMax == 1)
    }

    @Test(
        "a good microphone is within all limits of the bench with 50 of 50 seeds",
        arguments: 1...50 as ClosedRange<UInt64>)
    func good(_ seed: UInt64) throws {
        let periods = VirtualMicrophone(ppm: 20, sigma: 60_000, seed: seed).periods(400)
        let timing = Self.timing(periods, asked: Self.asked)
        #expect(try abs(#require(timing.rateError)) <= 0.01)
        #expect(try #require(timing.rateResidual) <= 10)
        #expect(try abs(#require(timing.durationError)) <= 1)
        #expect(try #require(timing.stepMax) <= 2)
    }

    @Test("a wrong clock is found within its uncertainty", arguments: [300.0, -300, 30], [1, 2, 3] as [UInt64])
    func wrongClock(_ ppm: Double, _ seed: UInt64) throws {
        let timing = VirtualMicrophone(ppm: ppm, sigma: 100_000, seed: seed).timing(1_000)
        let uncertainty = try #require(timing.rateUncertainty)
        #expect(isNear(timing.rateError, ppm / 1e4, by: uncertainty))
        #expect(uncertainty < 0.0005)
        #expect(isNear(timing.rateResidual, 4.8, by: 0.5))
    }

    @Test("one late timestamp does little to the rate")
    func outlier() {
        var periods = VirtualMicrophone().periods(1_000)
        periods[999].timestamp += 5_000_000
        #expect(isNear(Self.timing(periods).rateError, 0, by: 0.0005))
    }

    @Test("eight hours are measured as exactly as ten seconds")
    func hours() {
        let timing = VirtualMicrophone(ppm: 12.5, size: 48_000).timing(8 * 3_600)
        #expect(isNear(timing.rateError, 0.00125, by: 1e-9))
        #expect(isNear(timing.rateResidual, 0, by: 1e-3))
    }

    @Test("timestamps of a coarse clock are merged, and the rate is right")
    func coarse() throws {
        let periods = VirtualMicrophone(ppm: 300, size: 48, tick: 4_000_000).periods(20_000)
        let (merged, plain) = (
            Self.timing(periods), SoundTiming(periods, rate: VirtualMicrophone.rate, merging: 0)
        )
        #expect(isNear(merged.rateError, 0.03, by: 0.003))
        #expect(try #require(merged.rateResidual) < #require(plain.rateResidual) / 2)
        #expect(isNear(merged.stepMax, 4, by: 1))
        #expect(plain.stepMax == 1)
    }

    @Test("of periods that come at once the last one counts")
    func lastOfMerged() {
        var (periods, numbers) = (VirtualMicrophone().periods(400), SeededGenerator(seed: 3))
        for index in stride(from: 0, to: 400, by: 2) {
            periods[index].timestamp = periods[index + 1].timestamp - Int64(900_000 * numbers.unit())
        }
        let timing = Self.timing(periods)
        #expect(isNear(timing.rateResidual, 0, by: 1e-3))
        #expect(timing.stepMax == 2)
    }

    @Test("a clock that stands still is an error, and no endless step over the others")
    func standing() {
        var periods = VirtualMicrophone().periods(100)
        for index in periods.indices { periods[index].timestamp = 5 }
        let timing = Self.timing(periods)
        #expect(timing.rate == nil)
        #expect(timing.measures.first { $0.name == "sound_rate" }?.verdict == .error)
        #expect(timing.stepMax == 100)
    }

    @Test("four seconds less a period are short by one")
    func short() {
        let timing = Self.timing(VirtualMicrophone().periods(399), asked: Self.asked)
        #expect(isNear(timing.durationError, -1, by: 1e-6))
    }

    @Test("as many frames as asked are too long in time where the clock is slow")
    func slow() {
        let timing = Self.timing(VirtualMicrophone(ppm: -10_000).periods(400), asked: Self.asked)
        #expect(isNear(timing.durationError, 4.03, by: 0.02))
    }

    @Test("the time that was asked holds too many frames where the clock is fast")
    func fast() {
        let timing = Self.timing(VirtualMicrophone(ppm: 10_000).periods(404), asked: Self.asked)
        #expect(isNear(timing.durationError, 4, by: 0.02))
    }

    @Test("without a length that was asked for there is no such measure")
    func notAsked() {
        #expect(!VirtualMicrophone().timing(10).measures.contains { $0.name == "duration_error" })
    }

    @Test("three periods at once are a step of three")
    func step() {
        var periods = VirtualMicrophone().periods(400)
        for index in [200, 201] { periods[index].timestamp = periods[202].timestamp }
        let timing = Self.timing(periods)
        #expect(timing.stepMax == 3)
        // One step of 3 among 397 of 1: the variance is 4 · p · (1 − p).
        #expect(isNear(timing.stepDeviation, (4.0 / 398 * 397 / 398).squareRoot(), by: 1e-6))
    }

    @Test("one period of three times the size is a step of three")
    func large() {
        var periods = VirtualMicrophone().periods(400)
        periods[200].frames *= 3
        periods.removeSubrange(201...202)
        let timing = Self.timing(periods)
        #expect(timing.stepMax == 3)
        #expect(timing.ledgerDifference == 0)
    }

    @Test("an overrun counts, and a wrong guess of its length does not change the rate")
    func overrun() {
        var periods = VirtualMicrophone().periods(400)
        for index in 200..<400 {
            periods[index].sequence += 5_000
            periods[index].timestamp += 80_000_000
        }
        periods[200].lostBefore = 5_000
        let timing = Self.timing(periods)
        #expect([timing.xruns, timing.lost, timing.ledgerDifference] == [1, 5_000, 0])
        #expect(isNear(timing.rateError, 0, by: 1e-6))
        periods[200].lostBefore = 0
        #expect(!isNear(Self.timing(periods).rateError, 0, by: 0.01))
        #expect(Self.timing(periods).ledgerDifference == 5_000)
    }

    @Test("the capture's own counter of overruns goes before the guess")
    func counter() {
        let timing = SoundTiming(VirtualMicrophone().periods(10), rate: VirtualMicrophone.rate, xruns: 3)
        #expect(timing.xruns == 3)
    }

    @Test("no periods and one period are an error in each measure", arguments: [0, 1])
    func tooFew(_ count: Int) {
        let timing = Self.timing(VirtualMicrophone().periods(count), asked: Self.asked)
        #expect(timing.measures.count == 10)
        #expect(timing.measures.allSatisfy { $0.verdict == .error })
        #expect(timing.series.allSatisfy { $0.points.isEmpty })
    }

    @Test("timestamps and numbers of any size are judged", arguments: [Int.min, -1, 0, .max])
    func hostile(_ frames: Int) {
        let periods = HostileNumbers.pairs.map {
            TimedPeriod(sequence: $0.count, timestamp: $0.stamp, frames: frames, lostBefore: $0.count / 2)
        }
        let timing = SoundTiming(periods, rate: (1, .max), asked: .min, xruns: .max, merging: -1)
        #expect(timing.measures.count == 10)
        #expect(timing.xruns == Double(UInt64.max))
        #expect(timing.series.allSatisfy { $0.points.count <= 2_000 })
    }

    @Test("the plot has at most two thousand points, and the outlier among them")
    func plot() {
        var periods = VirtualMicrophone().periods(50_000)
        periods[30_001].timestamp += 5_000_000
        let series = Self.timing(periods).series
        #expect((1_000...2_000).contains(series[0].points.count))
        #expect(isNear(series[0].points.map(\.y).min(), -240, by: 1))
    }
}
