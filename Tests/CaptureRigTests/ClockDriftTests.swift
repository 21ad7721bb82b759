import Testing

@testable import CaptureRig

@Suite("drift of clocks")
struct ClockDriftTests {
    /// Half a minute of a camera and a microphone.
    private static func drift(
        camera: Double, microphone: Double = 0, burst: Int = 1, seconds: Int = 30, seed: UInt64 = 1
    ) -> ClockDrift {
        let frames = VirtualCamera(ppm: camera, sigma: 500_000, burst: burst, seed: seed).frames(30 * seconds)
        let periods = VirtualMicrophone(ppm: microphone, sigma: 100_000, seed: seed + 1_000, size: 2_400)
            .periods(20 * seconds)
        return ClockDrift(
            of: ClockRate(frames, rate: VirtualCamera.rate), against: ClockRate(periods, rate: VirtualMicrophone.rate))
    }

    @Test("a drift is found within its uncertainty", arguments: [300.0, -300, 30], [1, 2, 3] as [UInt64])
    func found(_ ppm: Double, _ seed: UInt64) throws {
        let drift = Self.drift(camera: ppm, seed: seed)
        let uncertainty = try #require(drift.uncertainty)
        #expect(isNear(drift.ppm, ppm, by: uncertainty))
        #expect((1...10).contains(uncertainty))
        #expect(drift.canTell(100))
    }

    @Test("the drift is that between the clocks, whatever CLOCK_MONOTONIC does")
    func between() throws {
        let drift = Self.drift(camera: 500, microphone: 470)
        #expect(try isNear(drift.ppm, 30, by: #require(drift.uncertainty)))
    }

    @Test("a good clock passes with 50 of 50 seeds", arguments: 1...50 as ClosedRange<UInt64>)
    func good(_ seed: UInt64) throws {
        let drift = Self.drift(camera: 20, microphone: -20, seed: seed)
        #expect(try abs(#require(drift.ppm)) <= 100)
        #expect(drift.canTell(100))
    }

    @Test(
        "the true drift lies within the uncertainty nineteen times in twenty, also where errors come in bursts",
        arguments: [1, 15])
    func coverage(_ burst: Int) {
        let drifts = (1...200 as ClosedRange<UInt64>).map { Self.drift(camera: 30, burst: burst, seed: $0) }
        let hits = drifts.count { isNear($0.ppm, 30, by: $0.uncertainty ?? 0) }
        #expect((180...199).contains(hits))
    }

    @Test("bursts make the uncertainty larger")
    func bursts() throws {
        let (one, many) = (Self.drift(camera: 0), Self.drift(camera: 0, burst: 15))
        #expect(try #require(many.uncertainty) > 2 * #require(one.uncertainty))
    }

    @Test("a capture that is too short for a limit has no drift, and is an error")
    func short() {
        let drift = Self.drift(camera: 30, seconds: 2)
        #expect(!drift.canTell(100))
        #expect(drift.measures(telling: 100).first?.verdict == .error)
        #expect(drift.measures().first?.verdict == .done)
        #expect(Self.drift(camera: 30).measures(telling: 100).first?.verdict == .done)
    }

    @Test("an overrun whose length was guessed wrong does not change the drift")
    func broken() throws {
        var periods = VirtualMicrophone(ppm: 30).periods(3_000)
        for index in 1_000..<3_000 { periods[index].sequence += 960 }
        periods[1_000].lostBefore = 960
        #expect(isNear(ClockRate(periods, rate: VirtualMicrophone.rate).ppm, 30, by: 0.01))
        periods[1_000].lostBefore = 0
        #expect(!isNear(ClockRate(periods, rate: VirtualMicrophone.rate).ppm, 30, by: 100))
    }

    @Test("lost frames do not change the drift")
    func lost() {
        let frames = VirtualCamera(ppm: 30, drops: 0.2).frames(900)
        #expect(isNear(ClockRate(frames, rate: VirtualCamera.rate).ppm, 30, by: 0.01))
    }

    @Test("eight hours are measured as exactly as half a minute")
    func hours() {
        let points = (0..<28_800).map {
            ClockPoint(time: Int64($0) * 1_000_000_000 + .max / 2, position: Double($0) * (1 + 3e-6))
        }
        #expect(isNear(ClockRate(points).ppm, 3, by: 1e-6))
    }

    @Test("too few points have no drift, and are an error", arguments: [0, 1])
    func tooFew(_ count: Int) {
        let rate = ClockRate(VirtualCamera().frames(count), rate: VirtualCamera.rate)
        let drift = ClockDrift(of: rate, against: rate)
        #expect(drift.measures().map(\.verdict) == [.error, .error, .error])
        #expect(drift.series.allSatisfy { $0.points.count <= count })
    }

    @Test("a few points have a drift without an uncertainty, which tells no limit")
    func few() {
        let rate = ClockRate(VirtualCamera(ppm: 30).frames(4), rate: VirtualCamera.rate)
        #expect(isNear(rate.ppm, 30, by: 1))
        #expect(rate.uncertainty == nil)
        #expect(!ClockDrift(of: rate, against: rate).canTell(1e9))
    }

    @Test("timestamps and numbers of any size are judged")
    func hostile() {
        let frames = HostileNumbers.pairs.map { TimedFrame(sequence: $0.count, timestamp: $0.stamp) }
        let periods = HostileNumbers.pairs.map {
            TimedPeriod(sequence: $0.count, timestamp: ~$0.stamp, frames: .min, lostBefore: $0.count & 1)
        }
        let drift = ClockDrift(of: ClockRate(frames, rate: (1, .max)), against: ClockRate(periods, rate: (.max, 1)))
        #expect(drift.measures(telling: 100).count == 3)
        #expect(drift.series.allSatisfy { $0.points.count <= 2_000 })
    }

    @Test("the plot begins at 0, ends where the drift leads, and has at most two thousand points")
    func plot() throws {
        let series = Self.drift(camera: 300, seconds: 100).series
        #expect(series.map(\.name) == ["drift", "drift_fit", "drift_residual", "drift_reference"])
        #expect(series.allSatisfy { (2...2_000).contains($0.points.count) })
        #expect(try isNear(#require(series[1].points.last).y - #require(series[1].points.first).y, 30, by: 1))
        #expect(series[2].points.allSatisfy { abs($0.y) < 4 })
    }
}
