import Testing

@testable import CaptureRecording

@Suite("Sound steering")
struct DriftServoTests {
    /// What became of a simulated half hour.
    struct Outcome {
        var worst = 0.0
        var last = 0.0
        var firstCorrection: Int?
        var fastestChange = 0.0
    }

    /// Periods of 10 ms; no audio, only its position.
    private func simulate(
        periods: Int, _ device: inout SimulatedClock, ppm: (Int) -> Double = { _ in .nan }
    ) -> Outcome {
        var (clock, steering, outcome) = (DeviceClock(rate: 48_000), DriftServo(), Outcome())
        var (time, written, epoch) = (0.0, 0.0, 0.0)
        for period in 0..<periods {
            if ppm(period).isFinite { device.ppm = ppm(period) }
            let frame = period * 480
            clock.update(DeviceClockTests.header(frame, time + device.lateness()))
            let filtered = Double(clock.nanoseconds(at: UInt64(frame)) - 5_000_000_000) * 1e-9
            if period == 0 { epoch = filtered }
            let before = steering.step
            steering.steer(
                error: filtered - epoch - written / 48_000, noise: clock.noise, rateOffset: clock.rateOffset, span: 0.01
            )
            outcome.fastestChange = max(outcome.fastestChange, abs(steering.step - before))
            if steering.isCorrecting, outcome.firstCorrection == nil { outcome.firstCorrection = period }
            outcome.last = written / 48_000 - (time - epoch)
            outcome.worst = max(outcome.worst, abs(outcome.last))
            written += 480 / steering.step
            time += device.seconds(480, rate: 48_000)
        }
        return outcome
    }

    @Test(
        "sound is never more than 5 ms from its place in half an hour",
        arguments: zip([500.0, -500, 1000, -1000, 20], [0, 0.001, 0.001, 0, 0.001]))
    func half(ppm: Double, jitter: Double) {
        var device = SimulatedClock(ppm: ppm, jitter: jitter)
        let outcome = simulate(periods: 180_000, &device)
        #expect(outcome.worst < 0.005)
        #expect(abs(outcome.last) < 0.001)
        #expect(outcome.fastestChange < 5.1e-6)
    }

    @Test(
        "a device that is off by a hundredth is in its place within 20 s, and never a picture's time off it",
        arguments: [10_000.0, -10_000, 5000, -3000, 19_500], [0, 0.001])
    func wrongRate(ppm: Double, jitter: Double) {
        var device = SimulatedClock(ppm: ppm, jitter: jitter)
        let first = simulate(periods: 2000, &device)
        #expect(first.worst < (abs(ppm) > 10_000 ? 0.05 : 0.025))
        #expect(abs(first.last) < (abs(ppm) > 10_000 ? 0.008 : 0.005))
        var again = SimulatedClock(ppm: ppm, jitter: jitter)
        #expect(abs(simulate(periods: 6000, &again).last) < 0.002)
    }

    @Test("late stamps in a burst at the beginning are not taken for a rate", arguments: 1...20)
    func burst(seed: UInt64) {
        var device = SimulatedClock(ppm: 0, jitter: 0.02, burst: 20, seed: seed)
        #expect(simulate(periods: 2000, &device).worst < 0.025)
    }

    @Test("the jitter of a busy machine, 20 ms, moves it by less than 5 ms more")
    func busy() {
        var device = SimulatedClock(ppm: 500, jitter: 0.02, burst: 3)
        // The stamps are late by 10 ms in the mean, and the first of them by anything up to 20.
        let outcome = simulate(periods: 60_000, &device)
        #expect(outcome.worst < 0.025)
        #expect(abs(outcome.last - 0.01) < 0.012)
    }

    @Test("a clock without drift is never corrected, whatever its jitter", arguments: [0, 0.001, 0.003])
    func steady(jitter: Double) {
        var device = SimulatedClock(ppm: 0, jitter: jitter)
        #expect(simulate(periods: 60_000, &device).firstCorrection == nil)
    }

    @Test("a drift is left alone until it has made 2 ms")
    func deadBand() throws {
        var device = SimulatedClock(ppm: 100)
        let first = try #require(simulate(periods: 6000, &device).firstCorrection)
        #expect((2000...2100).contains(first))
    }

    @Test("a clock that changes from 250 to -250 ppm and back is followed within 5 ms")
    func steps() {
        var device = SimulatedClock(ppm: 500, jitter: 0.001)
        let outcome = simulate(periods: 60_000, &device) { $0 / 10_000 % 2 == 0 ? 250 : -250 }
        #expect(outcome.worst < 0.005)
    }
}
