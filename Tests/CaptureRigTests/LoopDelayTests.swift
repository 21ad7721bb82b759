import CaptureRig
import Testing

@Suite("delay of a loop")
struct LoopDelayTests {
    private static let count = 2048

    /// A recording of the sound, attenuated and with noise 40 dB below it.
    private static func recording(_ delay: Double, seed: Int, gain: Float = 0.5) -> [Float] {
        let sound = TestSounds.smoothNoise(seed: seed, count: 2 * count, delay: delay).enumerated().map {
            index, sample in
            // The sound is played once: there is nothing before and after it.
            Double(index) >= delay && Double(index) < delay + Double(count) ? gain * sample : 0
        }
        let rms = (sound.reduce(0) { $0 + Double($1 * $1) } / Double(count)).squareRoot()
        return TestSounds.sum(
            sound, TestSounds.noise(rms: rms * TestSounds.amplitude(-40), count: 2 * count, seed: seed + 1000))
    }

    private static func played(_ seed: Int) -> [Float] { TestSounds.smoothNoise(seed: seed, count: count, delay: 0) }

    @Test("480.25 samples are found to a tenth of one in noise of −40 dB, for any seed", arguments: 0..<50)
    func found(_ seed: Int) throws {
        let delay = try #require(
            LoopDelay(played: Self.played(seed), recorded: Self.recording(480.25, seed: seed), rate: 48_000))
        #expect(abs(delay.frames - 480.25) < 0.1)
        #expect(abs(delay.milliseconds - 10.0052) < 0.0021)
        #expect(!delay.isInverted)
    }

    @Test("white noise is found between samples, where the peak is no parabola", arguments: [0.0, 0.25, 0.5, 0.8])
    func white(_ fraction: Double) throws {
        let sound = TestSounds.smoothNoise(seed: 5, count: Self.count, delay: 0, upTo: 0.5)
        let recorded = TestSounds.smoothNoise(seed: 5, count: 2 * Self.count, delay: 700 + fraction, upTo: 0.5)
        let delay = try #require(LoopDelay(played: sound, recorded: recorded, rate: 48_000))
        #expect(abs(delay.frames - 700 - fraction) < 0.02)
    }

    @Test("no delay is 0, and an inverted recording is told as such")
    func inverted() throws {
        let sound = Self.played(1)
        let same = try #require(LoopDelay(played: sound, recorded: sound, rate: 48_000))
        #expect(same.frames < 0.01)
        let inverted = try #require(
            LoopDelay(played: sound, recorded: Self.recording(100, seed: 1, gain: -0.5), rate: 48_000))
        #expect(inverted.isInverted)
        #expect(abs(inverted.frames - 100) < 0.1)
    }

    @Test("another sound is not found, for any seed", arguments: 0..<20)
    func unrelated(_ seed: Int) {
        let recorded = TestSounds.noise(rms: 0.1, count: 8192, seed: seed)
        #expect(
            LoopDelay(played: TestSounds.noise(rms: 0.1, count: 4096, seed: 77), recorded: recorded, rate: 48_000)
                == nil)
    }

    @Test("a steady tone is not found: it would fit after each period")
    func steady() {
        let recorded = TestSounds.sine(997, amplitude: 0.5, count: 8192)
        #expect(LoopDelay(played: Array(recorded.prefix(4096)), recorded: recorded, rate: 48_000) == nil)
    }

    @Test("an offset of the recording doesn't hide the sound")
    func offset() throws {
        let recorded = Self.recording(480.25, seed: 3).map { $0 + 5 }
        let delay = try #require(LoopDelay(played: Self.played(3), recorded: recorded, rate: 48_000))
        #expect(abs(delay.frames - 480.25) < 0.1)
    }

    @Test("silence, one sample and what is no number are not found and don't trap")
    func nothing() {
        let sound = TestSounds.noise(rms: 0.1, count: 512, seed: 1)
        let broken: [[Float]] = [
            [], [0.5], [Float](repeating: 0, count: 512), [Float](repeating: 0.3, count: 512),
            [Float](repeating: .nan, count: 512), [Float](repeating: -.infinity, count: 512),
        ]
        for samples in broken {
            #expect(LoopDelay(played: samples, recorded: sound, rate: 48_000) == nil)
            #expect(LoopDelay(played: sound, recorded: samples, rate: 48_000) == nil)
        }
        #expect(LoopDelay(played: sound, recorded: sound, rate: .nan) == nil)
        #expect(LoopDelay(played: sound, recorded: Array(sound.prefix(16)), rate: 48_000) == nil)
    }

    @Test("several runs give the median, the spread and how many missed")
    func runs() throws {
        let sound = TestSounds.noise(rms: 0.1, count: 512, seed: 1)
        let found = [96, 48, 144].map { delay in
            LoopDelay(
                played: sound, recorded: [Float](repeating: 0, count: delay) + sound + [0, 0], rate: 48_000)
        }
        let values = LoopDelay.measures(of: found + [nil]).map { $0.value ?? -1 }
        #expect(abs(values[0] - 2) < 0.001 && abs(values[1] - 96) < 0.05)
        #expect(abs(values[2] - 2) < 0.001)
        #expect(values[3] >= 1.5)
        #expect(values[4] == 1)
        #expect(LoopDelay.measures(of: [nil]).map(\.value) == [nil, nil, nil, nil, 1])
        #expect(LoopDelay.measures(of: []).allSatisfy { $0.value == nil })
    }
}
