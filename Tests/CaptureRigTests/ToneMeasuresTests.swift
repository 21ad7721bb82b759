import CaptureRig
import Testing

@Suite("tone of a recording")
struct ToneMeasuresTests {
    private static let limits = [
        "tone_frequency_error": Limit(most: 0.5), "thd_n": Limit(most: 1), "snr": Limit(least: 60),
        "spur_max": Limit(most: -40),
    ]

    private static func verdicts(_ sound: [Float], rate: Double = 48_000, expected: Double = 997) -> [String: Verdict] {
        let tone = ToneMeasures(sound, rate: rate)
        return ToneMeasures.measures(of: tone, expected: expected).reduce(into: [:]) { verdicts, measure in
            guard let limit = limits[measure.name] else { return }
            verdicts[measure.name] =
                Measure(measure.name, measure.value, measure.unit, measure.direction, limit: limit).verdict
        }
    }

    @Test(
        "a second of 997 Hz is found to a thousandth of a hertz at each rate",
        arguments: [8000, 44_100, 48_000, 96_000])
    func frequency(_ rate: Int) throws {
        let sound = TestSounds.sum(
            TestSounds.sine(997, amplitude: 0.3, rate: Double(rate), count: rate),
            TestSounds.noise(rms: 3e-4, count: rate, seed: rate))
        let tone = try #require(ToneMeasures(sound, rate: Double(rate)))
        #expect(abs(tone.frequency - 997) < 0.001)
        #expect(abs(tone.level - -10.4576) < 0.001)
    }

    @Test("any frequency is found, between bins as on them", arguments: [31.5, 100, 439.93, 3150.27, 12_000, 19_871.4])
    func frequencies(_ frequency: Double) throws {
        let tone = try #require(ToneMeasures(TestSounds.sine(frequency, amplitude: 0.5), rate: 48_000))
        #expect(abs(tone.frequency - frequency) < 0.001)
        #expect(tone.distortionAndNoise < 0.01)
    }

    @Test("a good tone passes every limit for any seed", arguments: 0..<50)
    func good(_ seed: Int) {
        let sound = TestSounds.sum(
            TestSounds.sine(997, amplitude: 0.3, count: 4800, phase: Double(seed)),
            TestSounds.noise(rms: 0.3 / 2.0.squareRoot() * 4e-4, count: 4800, seed: seed))
        let verdicts = Self.verdicts(sound)
        #expect(verdicts.count == 4)
        #expect(verdicts.values.allSatisfy { $0 == .pass })
    }

    @Test("a second harmonic of −40 dB is a distortion of 1 %, a spur of −40 dB, and no noise")
    func distortion() throws {
        let sound = TestSounds.sum(
            TestSounds.sine(997, amplitude: 0.5), TestSounds.sine(1994, amplitude: 0.005, phase: 1))
        let tone = try #require(ToneMeasures(sound, rate: 48_000))
        #expect(abs(tone.distortionAndNoise - 1) < 0.001)
        #expect(abs(tone.distortion - 1) < 0.001)
        #expect(abs(tone.spur - -40) < 0.1)
        #expect(tone.signalToNoise > 100)
    }

    @Test("a spur that is no harmonic counts as noise, too")
    func spur() throws {
        let sound = TestSounds.sum(TestSounds.sine(997, amplitude: 0.5), TestSounds.sine(5333, amplitude: 0.005))
        let tone = try #require(ToneMeasures(sound, rate: 48_000))
        #expect(abs(tone.spur - -40) < 0.1)
        #expect(abs(tone.signalToNoise - 40) < 0.1)
        #expect(tone.distortion < 0.01)
    }

    @Test("an unsteady tone counts as distortion, and is no spur beside itself")
    func unsteady() throws {
        let wobble = TestSounds.sine(1.5, amplitude: 0.05)
        let sound = wobble.enumerated().map { index, phase in
            Float(0.3 * TestSounds.sine(2 * .pi * 997 * Double(index) / 48_000 + Double(phase)))
        }
        let tone = try #require(ToneMeasures(sound, rate: 48_000))
        #expect(tone.distortionAndNoise > 1)
        #expect(tone.spur < -60)
    }

    @Test("what lies below 20 Hz and above 20 kHz is not counted")
    func band() throws {
        let sound = TestSounds.sum(
            TestSounds.sine(997, amplitude: 0.5), TestSounds.sine(6, amplitude: 0.05),
            TestSounds.sine(22_000, amplitude: 0.05)
        ).map { $0 + 0.1 }
        let tone = try #require(ToneMeasures(sound, rate: 48_000))
        #expect(tone.distortionAndNoise < 0.1)
        #expect(tone.spur < -60)
    }

    @Test("a ratio to noise of 60 dB is found to 0.5 dB for any seed", arguments: 0..<10)
    func ratio(_ seed: Int) throws {
        // Of 24 kHz of white noise, the 20 Hz to 20 kHz that count have 0.79 dB less.
        let rms = 0.5 / 2.0.squareRoot() * TestSounds.amplitude(-60) * (24.0 / 19.98).squareRoot()
        let sound = TestSounds.sum(
            TestSounds.sine(997, amplitude: 0.5, count: 12_000), TestSounds.noise(rms: rms, count: 12_000, seed: seed))
        let tone = try #require(ToneMeasures(sound, rate: 48_000))
        #expect(abs(tone.signalToNoise - 60) < 0.5)
        #expect(abs(tone.distortionAndNoise - 0.1) < 0.005)
    }

    @Test("a clipped tone fails 1 %, and the same tone below the edge does not")
    func clipped() {
        let loud = TestSounds.sine(997, amplitude: 1.2).map { min(max($0, -1), 1) }
        let verdicts = Self.verdicts(loud)
        #expect(verdicts["thd_n"] == .fail)
        #expect(verdicts["spur_max"] == .fail)
        #expect(verdicts["tone_frequency_error"] == .pass)
        #expect(Self.verdicts(TestSounds.sine(997, amplitude: 0.99))["thd_n"] == .pass)
    }

    @Test("a wrong tone fails by its frequency alone")
    func wrong() {
        let verdicts = Self.verdicts(TestSounds.sine(1005, amplitude: 0.3))
        #expect(verdicts["tone_frequency_error"] == .fail)
        #expect(verdicts["thd_n"] == .pass)
    }

    @Test("a glitch in the middle fails the ratio to noise")
    func glitch() {
        var sound = TestSounds.sine(997, amplitude: 0.3)
        sound.replaceSubrange(20_000..<20_480, with: [Float](repeating: 0, count: 480))
        #expect(Self.verdicts(sound)["snr"] == .fail)
    }

    @Test("a fraction of a second too far in phase is not lost: long recordings are cut, not blurred")
    func long() throws {
        let tone = try #require(ToneMeasures(TestSounds.sine(997.13, amplitude: 0.3, count: 140_000), rate: 48_000))
        #expect(abs(tone.frequency - 997.13) < 1e-4)
        #expect(tone.distortionAndNoise < 0.01)
    }

    @Test("noise alone fails, and does not pass for a broken bench")
    func noise() {
        let verdicts = Self.verdicts(TestSounds.noise(rms: 0.1, seed: 1))
        #expect(verdicts["thd_n"] == .fail)
        #expect(verdicts["snr"] == .fail)
    }

    @Test("silence, an offset, one sample and what is no number give no values and no trap")
    func nothing() {
        let sounds: [[Float]] = [
            [], [0.5], [Float](repeating: 0, count: 9600), [Float](repeating: 0.3, count: 9600),
            [Float](repeating: .nan, count: 9600), [Float](repeating: .infinity, count: 9600),
            [Float](repeating: 0, count: 9599) + [.nan], TestSounds.sine(997, amplitude: 1, count: 255),
            TestSounds.sine(30, amplitude: 1, count: 2400),
        ]
        for sound in sounds {
            let measures = ToneMeasures.measures(of: ToneMeasures(sound, rate: 48_000), expected: 997)
            #expect(measures.count == 7)
            #expect(measures.allSatisfy { $0.value == nil })
        }
        #expect(ToneMeasures(TestSounds.sine(997, amplitude: 1, count: 9600), rate: .nan) == nil)
    }

    @Test("the largest finite samples don't trap")
    func huge() {
        let sound = TestSounds.sine(997, amplitude: 1, count: 9600).map { $0 * .greatestFiniteMagnitude }
        let tone = ToneMeasures(sound, rate: 48_000)
        #expect(ToneMeasures.measures(of: tone, expected: 0).allSatisfy { $0.value?.isFinite ?? true })
    }
}
