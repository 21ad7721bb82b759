import Testing

@testable import CaptureRig

@Suite("timing of frames")
struct FrameTimingTests {
    private static let period: Int64 = 33_333_333

    private static func changed(_ index: Int, by offset: Int64, of count: Int = 300) -> [TimedFrame] {
        var frames = VirtualCamera().frames(count)
        frames[index].timestamp += offset
        return frames
    }

    private static func timing(_ frames: [TimedFrame]) -> FrameTiming { FrameTiming(frames, rate: VirtualCamera.rate) }

    @Test("a perfect camera has its rate, and nothing is off")
    func perfect() {
        let timing = VirtualCamera().timing(300)
        #expect(isNear(timing.frameRate, 30, by: 1e-6))
        #expect(isNear(timing.frameRateError, 0, by: 1e-5))
        #expect(isNear(timing.intervalDeviationMax, 0, by: 1e-5))
        #expect(isNear(timing.intervalVariance, 0, by: 1e-9))
        #expect(isNear(timing.localDrop, 1, by: 1e-6))
        #expect([timing.lost, timing.ledgerDifference, timing.intervalSkips] == [0, 0, 0])
        #expect([timing.timestampsBackward, timing.timestampsRepeated, timing.timestampsLate] == [0, 0, 0])
    }

    @Test(
        "a good camera is within all limits of the bench with 50 of 50 seeds", arguments: 1...50 as ClosedRange<UInt64>)
    func good(_ seed: UInt64) throws {
        let timing = VirtualCamera(ppm: 40, sigma: 40_000, seed: seed).timing(300)
        #expect(try abs(#require(timing.frameRateError)) <= 0.5)
        #expect(try #require(timing.intervalDeviationMax) <= 1.5)
        #expect(try #require(timing.intervalVariance) < 0.01)
        #expect(try #require(timing.intervalGapMax) < 0.3)
        #expect(try #require(timing.localDrop) <= 1.05)
        #expect(timing.timestampsBackward == 0)
    }

    @Test("dropped frames are lost and not slow where numbers have gaps", arguments: [0.2, 0.05])
    func honestDrops(_ share: Double) throws {
        let camera = VirtualCamera(drops: share)
        let (timing, arrived) = (camera.timing(3_000), camera.frames(3_000).count)
        #expect(isNear(timing.frameRate, 30, by: 1e-5))
        #expect(isNear(timing.intervalDeviationMax, 0, by: 1e-4))
        #expect(try isNear(timing.lost, Double(3_000 - arrived), by: #require(timing.lost) * 0.02))
        #expect(isNear(timing.lost, 3_000 * share, by: 3_000 * share * 0.15))
        #expect(isNear(timing.intervalSkips, share * 100, by: share * 20))
        #expect(try #require(timing.localDrop) > 1.05)
        #expect(timing.ledgerDifference == 0)
    }

    @Test("dropped frames are slow and not lost where numbers have no gaps", arguments: [0.2, 0.05])
    func hiddenDrops(_ share: Double) throws {
        let timing = VirtualCamera(drops: share, isHonest: false).timing(3_000)
        #expect(isNear(timing.frameRate, 30 * (1 - share), by: 0.6))
        #expect(try #require(timing.frameRateError) < -100 * share / 2)
        #expect(try #require(timing.intervalDeviationMax) >= 99.9)
        #expect(timing.lost == 0)
        #expect(isNear(timing.intervalSkips, share * 100, by: share * 20))
        #expect(try #require(timing.localDrop) > 1.05)
    }

    @Test("one lost frame in thirty is no local drop, two are one")
    func localDrop() throws {
        let frames = VirtualCamera().frames(100)
        let one = frames.filter { $0.sequence != 50 }
        let two = one.filter { $0.sequence != 60 }
        #expect(isNear(Self.timing(one).localDrop, 31.0 / 30, by: 1e-5))
        #expect(isNear(Self.timing(two).localDrop, 32.0 / 30, by: 1e-5))
    }

    @Test("few frames have a local drop over all of them")
    func clippedWindow() {
        let frames = VirtualCamera().frames(6).filter { $0.sequence != 3 }
        #expect(isNear(Self.timing(frames).localDrop, 5.0 / 4, by: 1e-5))
    }

    @Test("a gap that the ledger does not know makes a difference")
    func ledger() {
        let frames = VirtualCamera().frames(100).filter { $0.sequence != 50 && $0.sequence != 51 }
        #expect(Self.timing(frames).ledgerDifference == 2)
        #expect(Self.timing(frames).lost == 0)
    }

    @Test("one late frame is in the maximum and the p99.9, not in the p99")
    func lateFrame() throws {
        let timing = Self.timing(Self.changed(150, by: 5_000_000, of: 600))
        #expect(isNear(timing.intervalDeviationMax, 15, by: 1e-3))
        #expect(isNear(timing.intervalGapMax, 5, by: 0.001))
        #expect(isNear(timing.jitterP999, 5, by: 0.001))
        #expect(isNear(timing.jitterP99, 0, by: 0.001))
        #expect(isNear(timing.frameRate, 30, by: 1e-5))
        #expect(timing.intervalSkips == 0)
    }

    @Test("the first interval is told by itself, and is neither jitter nor another rate")
    func firstInterval() {
        let timing = Self.timing(Self.changed(0, by: -60_000_000))
        #expect(isNear(timing.firstInterval, 93.333, by: 0.001))
        #expect(isNear(timing.intervalGapMax, 0, by: 0.001))
        #expect(isNear(timing.intervalDeviationMax, 0, by: 0.001))
        #expect(isNear(timing.frameRate, 30, by: 1e-5))
    }

    @Test("two frames have the one interval that there is")
    func twoFrames() {
        let frames = VirtualCamera().frames(2)
        #expect(isNear(Self.timing(frames).frameRate, 30, by: 1e-5))
        #expect(isNear(Self.timing(frames).intervalDeviationMax, 0, by: 1e-4))
    }

    @Test("jitter of a known width is measured", arguments: [100_000.0, 500_000])
    func jitter(_ sigma: Double) {
        let timing = VirtualCamera(sigma: sigma, seed: 7).timing(20_000)
        // The difference of two errors has twice the variance of one.
        let variance = 2 * (sigma / 1e6) * (sigma / 1e6)
        #expect(isNear(timing.intervalVariance, variance, by: variance * 0.05))
        #expect(isNear(timing.jitterP99, 2.576 * variance.squareRoot(), by: 0.1 * variance.squareRoot()))
        #expect(isNear(timing.jitterP999, 3.29 * variance.squareRoot(), by: 0.3 * variance.squareRoot()))
    }

    @Test("a timestamp that goes back by half an interval is backward, and not late")
    func backward() {
        let timing = Self.timing(Self.changed(100, by: -50_000_000))
        #expect([timing.timestampsBackward, timing.timestampsLate, timing.timestampsRepeated] == [1, 0, 0])
    }

    @Test("a timestamp that goes back by more than an interval is late, too")
    func late() {
        let timing = Self.timing(Self.changed(100, by: -90_000_000))
        #expect([timing.timestampsBackward, timing.timestampsLate] == [1, 1])
    }

    @Test("a repeated timestamp does not rise")
    func repeated() {
        var frames = VirtualCamera().frames(300)
        frames[10].timestamp = frames[9].timestamp
        let timing = Self.timing(frames)
        #expect([timing.timestampsBackward, timing.timestampsRepeated, timing.timestampsLate] == [1, 1, 0])
    }

    @Test("a timestamp later than the frame's arrival lies in the future")
    func future() {
        let frames = VirtualCamera().frames(300)
        var arrivals = frames.map { $0.timestamp + 40_000_000 }
        #expect(FrameTiming(frames, rate: VirtualCamera.rate, arrivals: arrivals).timestampsFuture == 0)
        arrivals[7] = frames[7].timestamp - 1
        let timing = FrameTiming(frames, rate: VirtualCamera.rate, arrivals: arrivals)
        #expect(timing.measures.value("timestamps_future") == 1)
    }

    @Test("without arrivals the future is no measure, with too few it is an error")
    func noArrivals() {
        let frames = VirtualCamera().frames(10)
        #expect(!Self.timing(frames).measures.contains { $0.name == "timestamps_future" })
        let timing = FrameTiming(frames, rate: VirtualCamera.rate, arrivals: [1])
        #expect(timing.measures.first { $0.name == "timestamps_future" }?.verdict == .error)
    }

    @Test("no frames and one frame are an error in each measure", arguments: [0, 1])
    func tooFew(_ count: Int) {
        let frames = VirtualCamera().frames(count)
        let timing = FrameTiming(frames, rate: VirtualCamera.rate, arrivals: frames.map(\.timestamp))
        #expect(timing.measures.count == 17)
        #expect(timing.measures.allSatisfy { $0.verdict == .error })
        #expect(timing.series.allSatisfy { $0.points.isEmpty })
    }

    @Test("a rate that is none leaves what needs none", arguments: [(0, 1), (30, 0), (-30, 1)])
    func noRate(_ numerator: Int, _ denominator: Int) {
        let timing = FrameTiming(VirtualCamera().frames(100), rate: (numerator, denominator))
        #expect(isNear(timing.frameRate, 30, by: 1e-5))
        #expect(timing.lost == 0)
        #expect(timing.frameRateError == nil && timing.localDrop == nil && timing.timestampsLate == nil)
    }

    @Test("timestamps and numbers of any size are judged")
    func hostile() {
        let frames = HostileNumbers.pairs.map {
            TimedFrame(sequence: $0.count, timestamp: $0.stamp, lostBefore: $0.count)
        }
        let timing = FrameTiming(frames, rate: (.max, 1), arrivals: frames.map { ~$0.timestamp })
        #expect(timing.measures.count == 17)
        #expect((timing.timestampsBackward ?? 0) > 0)
        #expect(timing.series.allSatisfy { $0.points.allSatisfy { $0.x.isFinite && $0.y.isFinite } })
    }

    @Test("plots have at most two thousand points, and the late frame among them")
    func plots() throws {
        let series = Self.timing(Self.changed(12_345, by: 9_000_000, of: 30_000)).series
        #expect(series.map(\.kind) == [.line, .histogram])
        #expect(series.allSatisfy { (1...2_000).contains($0.points.count) })
        #expect(isNear(series[0].points.map(\.y).max(), 42.333, by: 0.001))
        #expect(isNear(series[0].points.map(\.y).min(), 24.333, by: 0.001))
        #expect(series[1].points.reduce(0) { $0 + $1.y } == 29_999)
    }
}
