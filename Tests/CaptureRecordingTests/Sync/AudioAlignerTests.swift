import CaptureGate
import Foundation
import Testing

@testable import CaptureRecording

@Suite("Audio aligner")
struct AudioAlignerTests {
    /// A tone of 441 Hz at half of full scale.
    private func tone(_ frame: UInt64) -> Int16 {
        Int16((16_384 * sin(2 * Double.pi * 441 * Double(frame) / SimulatedMicrophone.rate)).rounded())
    }

    /// A sample that encodes its number.
    private func noise(_ frame: UInt64) -> Int16 {
        Int16(truncatingIfNeeded: (frame &+ 1) &* 0x9E37_79B9_7F4A_7C15 >> 40)
    }

    private func clip(_ seconds: Double? = nil, startingAt offset: Double = 0) -> ClipClock {
        let clip = ClipClock(duration: seconds.map { .nanoseconds(Int64($0 * 1e9)) })
        clip.start(at: SimulatedMicrophone.epoch + Int64(offset * 1e9))
        return clip
    }

    @Test("without drift the clip has the device's bits", arguments: [0, 0.001])
    func exact(jitter: Double) throws {
        var device = SimulatedMicrophone(SimulatedClock(ppm: 0, jitter: jitter), clip: clip())
        try device.deliver(3000, noise)
        try device.aligner.finish()
        let first = device.cut
        #expect(device.writer.samples.count + first - Int(device.output.filled) == 240_000)
        #expect(
            device.writer.samples.dropFirst(Int(device.output.filled))
                == (UInt64(first)..<240_000).map(noise).dropFirst(0))
        #expect(device.output.corrected == 0)
    }

    @Test("a microphone that nobody steers keeps its bits, whatever its drift", arguments: [SyncRole.free, .leads])
    func free(role: SyncRole) throws {
        var device = SimulatedMicrophone(SimulatedClock(ppm: 1000), role: role, clip: clip())
        try device.deliver(2000, noise)
        try device.aligner.finish()
        #expect(device.writer.samples == (0..<160_000).map(noise))
        #expect(device.output.corrected == 0 && device.output.delivered == 160_000)
    }

    @Test("sound that starts later than the clip is led in by silence, to the sample")
    func late() throws {
        var device = SimulatedMicrophone(SimulatedClock(ppm: 0), clip: clip(startingAt: -0.25))
        try device.deliver(10, noise)
        #expect(device.aligner.startOffsetNanoseconds == 250_000_000)
        #expect(device.output.filled == 2000)
        #expect(device.writer.samples == [Int16](repeating: 0, count: 2000) + (0..<800).map(noise))
    }

    @Test("sound that starts sooner is cut, to the sample")
    func early() throws {
        var device = SimulatedMicrophone(SimulatedClock(ppm: 0), clip: clip(startingAt: 0.25075))
        try device.deliver(100, noise)
        #expect(device.writer.samples == (2006..<8000).map(noise))
        #expect(device.output.filled == 0 && device.aligner.startOffsetNanoseconds == 0)
    }

    @Test(
        "drifting sound lasts as long as the clip's clock says, and each frame is accounted for",
        arguments: [500.0, -500])
    func drift(ppm: Double) throws {
        var device = SimulatedMicrophone(SimulatedClock(ppm: ppm, jitter: 0.0005), clip: clip())
        try device.deliver(2500, tone)
        try device.aligner.finish()
        let seconds = Double(device.output.written) / SimulatedMicrophone.rate
        #expect(abs(seconds - device.time) < 0.002)
        #expect(device.output.delivered == UInt64(device.offered - device.cut))
        #expect(
            Int64(device.output.written) == Int64(device.output.delivered + device.output.filled)
                + device.output.corrected)
        #expect((device.output.corrected < 0) == (ppm > 0))
        #expect(abs(try #require(device.aligner.drift).ppm - ppm) < 10)
    }

    @Test("sound of 48480 Hz that calls itself 48000 is within 5 ms after a minute", arguments: [10_000.0, -10_000])
    func wrongRate(ppm: Double) throws {
        var device = SimulatedMicrophone(SimulatedClock(ppm: ppm, jitter: 0.0005), clip: clip())
        try device.deliver(6000, tone)
        try device.aligner.finish()
        let seconds = Double(device.output.written) / SimulatedMicrophone.rate
        #expect(abs(seconds - device.time) < 0.005)
        #expect(abs(try #require(device.aligner.offsetNanoseconds)) < 5_000_000)
        #expect(abs(try #require(device.aligner.drift).ppm - ppm) < 10)
    }

    @Test("what is off by more than is corrected is told, and how far off it ends", arguments: [40_000.0, -40_000])
    func beyond(ppm: Double) throws {
        var device = SimulatedMicrophone(SimulatedClock(ppm: ppm, jitter: 0.0005), clip: clip())
        try device.deliver(6000, tone)
        try device.aligner.finish()
        let behind = Double(device.output.written) / SimulatedMicrophone.rate - device.time
        let told = Double(try #require(device.aligner.offsetNanoseconds)) * 1e-9
        #expect(abs(told) > 0.5 && abs(told - behind) < 0.1)
        #expect(abs(try #require(device.aligner.drift).ppm - ppm) < 50)
    }

    @Test("what nobody steers has no place to be off")
    func unsteered() throws {
        var device = SimulatedMicrophone(SimulatedClock(ppm: 10_000), role: .free, clip: clip())
        try device.deliver(600, tone)
        #expect(device.aligner.offsetNanoseconds == nil)
    }

    @Test("nothing clicks where the correction begins, nor later", arguments: [500.0, -500])
    func click(ppm: Double) throws {
        var device = SimulatedMicrophone(SimulatedClock(ppm: ppm, jitter: 0.0005), clip: clip())
        try device.deliver(1200, tone)
        let samples = device.writer.samples.dropFirst(200).map(Double.init)
        #expect(device.output.corrected != 0)
        // Of a sine x, x[n+1] + x[n-1] is the same multiple of x[n] all along; a click is not.
        let factor = 2 * cos(2 * Double.pi * 441 / SimulatedMicrophone.rate)
        let worst = (1..<samples.count - 1).map { abs(samples[$0 + 1] + samples[$0 - 1] - factor * samples[$0]) }.max()
        // Rounding alone makes 2; the change of pitch, 500 ppm, some 6 more. A lost sample would make 5600.
        #expect(try #require(worst) < 16)
    }

    @Test("an overrun in drifting sound is filled, and the books add up")
    func overrun() throws {
        var device = SimulatedMicrophone(SimulatedClock(ppm: 500, jitter: 0.0005), clip: clip())
        try device.deliver(800, tone)
        for _ in 0..<5 {
            device.lose(4000)
            try device.deliver(200, lost: 4000, flags: [.xrun, .gap], tone)
        }
        try device.aligner.finish()
        let output = device.output
        #expect(device.losses.lost(of: 0).xrun == 20_000 && output.filled - 20_000 <= 4)
        #expect(output.delivered == UInt64(device.offered - device.cut))
        #expect(Int64(output.written) == Int64(output.delivered + output.filled) + output.corrected)
        #expect(abs(Double(output.written) / SimulatedMicrophone.rate - device.time) < 0.003)
    }

    @Test("what is lost in a sleep is filled, and is no xrun's")
    func sleep() throws {
        var device = SimulatedMicrophone(SimulatedClock(ppm: 0, jitter: 0), clip: clip())
        try device.deliver(100, tone)
        device.lose(4000)
        try device.deliver(100, lost: 4000, flags: [.suspended, .gap], tone)
        try device.aligner.finish()
        #expect(device.losses.lost(of: 0).suspend == 4000 && device.losses.lost(of: 0).xrun == 0)
        #expect(device.output.filled >= 4000)
    }

    @Test("a clip has its length to the frame", arguments: [0.0, 500, -500])
    func length(ppm: Double) throws {
        var device = SimulatedMicrophone(SimulatedClock(ppm: ppm, jitter: 0.0005), clip: clip(10.0005))
        try device.deliver(3000, tone)
        try device.aligner.finish()
        #expect(device.output.isFull && device.output.written == 80_004)
        #expect(device.writer.samples.count == 80_004)
        let made = 10.0005 * SimulatedMicrophone.rate * (1 + ppm * 1e-6)
        #expect(abs(Double(device.output.delivered + device.output.filled) - made) < 24)
    }

    @Test("where sound rules, moments follow its clock")
    func leads() throws {
        let clip = clip()
        var device = SimulatedMicrophone(
            SimulatedClock(ppm: 500, jitter: 0.0005), role: .leads, clip: clip)
        try device.deliver(6000, noise)
        let time = try #require(clip.time(of: device.moment))
        #expect(abs(Double(time) * 1e-9 - 60) < 0.001)
        #expect(abs(clip.rateOffset * 1e6 - 500) < 20)
    }

    @Test("a second microphone is kept to the first one's clock")
    func second() throws {
        let clip = clip()
        var first = SimulatedMicrophone(SimulatedClock(ppm: 300, seed: 3), role: .leads, clip: clip)
        var second = SimulatedMicrophone(SimulatedClock(ppm: -300, seed: 4), role: .follows, clip: clip)
        for _ in 0..<2500 {
            try first.deliver(1, noise)
            try second.deliver(1, tone)
        }
        try second.aligner.finish()
        let seconds = Double(second.output.written) / SimulatedMicrophone.rate
        let expected = second.time * (1 + 300e-6)
        #expect(abs(seconds - expected) < 0.003)
        #expect(first.output.corrected == 0 && second.output.corrected > 0)
    }

    @Test("each device has its role", arguments: SyncClock.allCases)
    func roles(clock: SyncClock) {
        let filmed = SyncRole(clock.resolved(cameras: 1, microphones: 1), isFirst: true)
        let alone = SyncRole(clock.resolved(cameras: 0, microphones: 1), isFirst: true)
        let other = SyncRole(clock.resolved(cameras: 0, microphones: 2), isFirst: false)
        switch clock {
        case .automatic: #expect(filmed == .follows && alone == .free && other == .follows)
        case .picture, .system: #expect(filmed == .follows && alone == .follows && other == .follows)
        case .sound: #expect(filmed == .leads && alone == .leads && other == .follows)
        case .none: #expect(filmed == .free && alone == .free && other == .free)
        }
    }
}
