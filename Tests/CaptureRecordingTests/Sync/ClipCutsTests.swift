import CaptureGate
import Testing

@testable import CaptureRecording

@Suite("Pauses as cuts")
struct ClipCutsTests {
    private let frame: Int64 = 100

    /// Cuts of a camera of ten frames in 1000 ns, paused at 250 and resumed at 430.
    private var cut: ClipCuts {
        var cuts = ClipCuts(frame: frame)
        cuts.pause(at: 250)
        cuts.resume(at: 430)
        return cuts
    }

    @Test("a pause begins with the next whole frame, lasts whole frames, and the clip goes on behind it without a hole")
    func grid() {
        #expect(cut.cuts == [ClipCuts.Cut(start: 300, end: 500)])
        #expect([0, 299, 300, 499, 500, 650].map { cut.time(of: $0) } == [0, 299, nil, nil, 300, 450])
        #expect(cut.removed(before: 400) == 100 && cut.removed(before: .max) == 200)
    }

    @Test("parts of a span that are in the clip are those beside the cuts")
    func parts() {
        #expect(cut.kept(of: 0..<1000) == [0..<300, 500..<1000])
        #expect(cut.kept(of: 320..<480).isEmpty && cut.keptTime(of: 200..<600) == 200)
    }

    @Test("a second pause counts in the clip's time, and one that lasts has no end")
    func second() {
        var cuts = cut
        cuts.pause(at: 710)
        #expect(cuts.isPaused && cuts.time(of: 799) == 599 && cuts.time(of: 800) == nil)
        #expect(cuts.kept(of: 700..<5000) == [700..<800])
        cuts.resume(at: 1000)
        #expect(cuts.time(of: 1000) == 600)
    }

    @Test("a pause between two frames leaves nothing out, and neither does a resume without one")
    func nothing() {
        var cuts = ClipCuts(frame: frame)
        cuts.resume(at: 50)
        cuts.pause(at: 110)
        cuts.resume(at: 150)
        #expect(cuts.isEmpty)
    }

    /// A sample that encodes its number.
    private func noise(_ frame: UInt64) -> Int16 {
        Int16(truncatingIfNeeded: (frame &+ 1) &* 0x9E37_79B9_7F4A_7C15 >> 40)
    }

    @Test("sound is cut at both ends of a pause to the sample, and bit for bit beside it")
    func sound() throws {
        let clip = ClipClock(duration: nil)
        clip.start(at: SimulatedMicrophone.epoch)
        let (from, to): (Int64, Int64) = (1_000_375_000, 2_500_250_000)
        #expect(clip.follow([from, to].map { SimulatedMicrophone.epoch + $0 }))
        var device = SimulatedMicrophone(SimulatedClock(ppm: 0), clip: clip)
        try device.deliver(400, noise)
        try device.aligner.finish()
        // 8000 samples a second.
        let end = UInt64(device.writer.samples.count) + 11_999
        let expected: [UInt64] = Array(0..<8003) + Array(20_002..<end)
        #expect(device.writer.samples == expected.map(noise))
        #expect(device.output.filled == 0 && device.output.corrected == 0)
        #expect(clip.pauses(until: .max / 2).map(\.lengthNanoseconds) == [to - from])
    }

    @Test("the sound of a clock that drifts stays in its place behind a pause")
    func drift() throws {
        let clip = ClipClock(duration: nil)
        clip.start(at: SimulatedMicrophone.epoch)
        _ = clip.follow([20_000_000_000, 30_000_000_000].map { SimulatedMicrophone.epoch + $0 })
        var device = SimulatedMicrophone(SimulatedClock(ppm: 200), clip: clip)
        try device.deliver(6000, noise)
        try device.aligner.finish()
        let offset = try #require(device.aligner.offsetNanoseconds)
        #expect(abs(offset) < 2_000_000, "\(offset)")
    }
}
