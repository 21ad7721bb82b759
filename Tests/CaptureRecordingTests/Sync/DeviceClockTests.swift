import CaptureGate
import Testing

@testable import CaptureRecording

@Suite("Device clock")
struct DeviceClockTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var ppm: Double
        var jitter = 0.0
        var burst = 1
        var testDescription: String { "\(ppm) ppm, \(jitter) s late for \(burst)" }
    }

    static let cases = [
        Case(ppm: 0), Case(ppm: 500, jitter: 0.001), Case(ppm: -500, jitter: 0.001),
        Case(ppm: 37.5, jitter: 0.02), Case(ppm: -500, jitter: 0.02, burst: 20), Case(ppm: 0, jitter: 0.02, burst: 5),
    ]

    /// Periods of 10 ms at 48 kHz.
    private func run(_ clock: inout DeviceClock, _ device: inout SimulatedClock, periods: Range<Int>) {
        for period in periods {
            let time = device.seconds(Double(period * 480), rate: 48_000) + device.lateness()
            clock.update(Self.header(period * 480, time))
        }
    }

    static func header(_ frame: Int, _ seconds: Double, _ flags: FrameFlags = []) -> FrameHeader {
        FrameHeader(
            sequence: UInt64(frame), timestamp: 5_000_000_000 + Int64((seconds * 1e9).rounded()), byteCount: 1920,
            frameCount: 480, flags: flags)
    }

    @Test("the measured drift is right within 10 ppm after three minutes, and as sure as it says", arguments: cases)
    func drift(of test: Case) throws {
        var device = SimulatedClock(ppm: test.ppm, jitter: test.jitter, burst: test.burst)
        var clock = DeviceClock(rate: 48_000)
        run(&clock, &device, periods: 0..<18_000)
        let (ppm, uncertainty) = try #require(clock.drift)
        #expect(abs(ppm - test.ppm) < 10)
        #expect(abs(ppm - test.ppm) < 3 * uncertainty + 0.1)
        #expect(uncertainty < 5 + test.jitter * 4000)
    }

    @Test("the loop's rate is right from half a minute on, as far as the jitter allows", arguments: cases)
    func rate(of test: Case) {
        var device = SimulatedClock(ppm: test.ppm, jitter: test.jitter, burst: test.burst)
        var clock = DeviceClock(rate: 48_000)
        run(&clock, &device, periods: 0..<3000)
        var worst = 0.0
        for period in 3000..<9000 {
            run(&clock, &device, periods: period..<period + 1)
            worst = max(worst, abs(clock.rateOffset * 1e6 - test.ppm))
        }
        #expect(worst < 10 + test.jitter * 4000 * Double(test.burst).squareRoot())
    }

    @Test(
        "the filtered times have a tenth of the jitter at most, and what is left of the beginning",
        arguments: [0.001, 0.02])
    func filtered(jitter: Double) {
        var device = SimulatedClock(ppm: 500, jitter: jitter)
        var clock = DeviceClock(rate: 48_000)
        run(&clock, &device, periods: 0..<2000)
        var worst = 0.0
        for period in 2000..<6000 {
            run(&clock, &device, periods: period..<period + 1)
            let truth = device.seconds(Double(period * 480), rate: 48_000) + jitter / 2
            let seconds = Double(clock.nanoseconds(at: UInt64(period * 480)) - 5_000_000_000) * 1e-9
            worst = max(worst, abs(seconds - truth))
        }
        #expect(worst < 0.0002 + jitter / 10)
    }

    @Test("few seconds say nothing, and stamps at random say nothing however many")
    func unsure() {
        var clock = DeviceClock(rate: 48_000)
        var device = SimulatedClock(ppm: 100)
        run(&clock, &device, periods: 0..<300)
        #expect(clock.drift == nil)
        var wild = DeviceClock(rate: 30)
        for picture in 0..<200 {
            wild.update(Self.header(picture, Double(picture) / 30 * (picture < 100 ? 1 : 2) + device.unit()))
        }
        #expect(wild.drift == nil)
    }

    @Test("a loss of unknown length, on each tenth second, does not tell in the drift")
    func losses() throws {
        var device = SimulatedClock(ppm: -500, jitter: 0.002)
        var clock = DeviceClock(rate: 48_000)
        var time = 0.0
        var frame = 0
        for period in 0..<18_000 {
            let isBroken = period % 1000 == 999
            if isBroken {
                // The loss is measured by the timestamps, whose jitter makes it wrong.
                time += 0.3
                frame += Int(48_000 * 0.3) + (period % 2000 == 999 ? 96 : -70)
            }
            clock.update(Self.header(frame, time + device.lateness(), isBroken ? [.xrun, .gap] : []))
            frame += 480
            time += device.seconds(480, rate: 48_000)
        }
        #expect(abs(try #require(clock.drift).ppm + 500) < 10)
        #expect(abs(clock.rateOffset * 1e6 + 500) < 30)
    }

    @Test("a stamp far in the past or the future moves nothing; one that was replaced is not looked at")
    func strays() throws {
        var device = SimulatedClock(ppm: 200, jitter: 0.001)
        var clock = DeviceClock(rate: 48_000)
        run(&clock, &device, periods: 0..<3000)
        let before = clock.nanoseconds(at: 3000 * 480)
        clock.update(Self.header(3000 * 480, 400))
        clock.update(Self.header(3001 * 480, 1))
        clock.update(Self.header(3002 * 480, 30.09, [.repairedTimestamp]))
        #expect(clock.nanoseconds(at: 3000 * 480) == before)
        run(&clock, &device, periods: 3003..<18_000)
        #expect(abs(try #require(clock.drift).ppm - 200) < 10)
    }

    @Test("a device that goes on at another time is followed")
    func jump() {
        var clock = DeviceClock(rate: 48_000)
        for period in 0..<1000 { clock.update(Self.header(period * 480, Double(period) / 100)) }
        for period in 1000..<1100 { clock.update(Self.header(period * 480, Double(period) / 100 + 0.5)) }
        #expect(abs(clock.nanoseconds(at: 1099 * 480) - 5_000_000_000 - 11_490_000_000) < 1000)
    }

    @Test("a clock that changes its rate is followed")
    func steps() {
        var clock = DeviceClock(rate: 48_000)
        var (time, worst) = (0.0, 0.0)
        for period in 0..<30_000 {
            clock.update(Self.header(period * 480, time))
            time += 0.01 / (1 + (period / 10_000 % 2 == 0 ? 500e-6 : -500e-6))
            let error = Double(clock.nanoseconds(at: UInt64((period + 1) * 480)) - 5_000_000_000) * 1e-9 - time
            worst = max(worst, abs(error))
        }
        #expect(worst < 0.003)
        #expect(abs(clock.rateOffset * 1e6 - 500) < 10)
    }

    @Test("a camera is measured by its pictures")
    func camera() throws {
        var clock = DeviceClock(rate: 30_000 / 1001)
        for picture in 0..<1800 {
            clock.update(Self.header(picture, Double(picture) * 1001 / 30_000 / (1 - 80e-6)))
        }
        #expect(abs(try #require(clock.drift).ppm + 80) < 0.5)
    }
}
