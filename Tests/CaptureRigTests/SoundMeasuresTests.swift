import CaptureRig
import Testing

@Suite("levels of a recording")
struct SoundMeasuresTests {
    private static let names = [
        "level_rms", "peak", "dc_offset", "noise_floor", "zero_samples", "zero_channels", "clipped",
    ]

    private static func values(_ channels: [[Float]], rate: Double = 48_000) -> [String: Double] {
        SoundMeasures(channels, rate: rate).measures.reduce(into: [:]) { $0[$1.name] = $1.value }
    }

    @Test("a sine of full scale has 0 dBFS of RMS level and of peak")
    func fullScale() throws {
        let levels = try #require(ChannelLevels(TestSounds.sine(1000, amplitude: 1), rate: 48_000))
        #expect(abs(levels.level) < 0.001)
        #expect(abs(levels.peak) < 0.01)
        #expect(levels.clipped == 0)
    }

    @Test("a good recording of two channels passes for any seed", arguments: 0..<50)
    func good(_ seed: Int) throws {
        let channels = (0..<2).map { channel in
            TestSounds.sum(
                TestSounds.sine(997, amplitude: 0.1, count: 4800),
                TestSounds.noise(rms: 1e-4, count: 4800, seed: 2 * seed + channel))
        }
        let values = Self.values(channels)
        #expect(abs(try #require(values["level_rms"]) - -20) < 0.05)
        #expect(try #require(values["dc_offset"]) < 0.1)
        #expect(values["clipped"] == 0 && values["zero_channels"] == 0)
        #expect(try #require(values["zero_samples"]) < 0.1)
    }

    @Test("an offset is told with its sign, and does not raise the noise floor")
    func offset() throws {
        let sound = TestSounds.noise(rms: 0.001, seed: 1).map { $0 - 0.05 }
        let levels = try #require(ChannelLevels(sound, rate: 48_000))
        #expect(abs(levels.offset - -0.05) < 1e-4)
        #expect(abs(try #require(levels.noiseFloor) - -56.99) < 0.3)
        #expect(abs(try #require(Self.values([sound])["dc_offset"]) - 5) < 0.01)
    }

    @Test("the noise floor is that of the quietest 100 ms, wherever they are", arguments: [0, 12_345, 43_000])
    func floor(_ start: Int) throws {
        var sound = TestSounds.sine(997, amplitude: 0.5)
        let quiet = TestSounds.noise(rms: 1e-4, count: 5760, seed: 3)
        sound.replaceSubrange(start..<min(start + 5760, 48_000), with: quiet.prefix(48_000 - start))
        // Half the windows' step may be missing at each end.
        let levels = try #require(ChannelLevels(sound.prefix(48_000) + [], rate: 48_000))
        #expect(abs(try #require(levels.noiseFloor) - -76.99) < 0.3)
    }

    @Test("a muted channel is silent, and its level is the floor: a limit fails instead of having no number")
    func muted() {
        let sound = TestSounds.sine(997, amplitude: 0.1, count: 4800)
        let values = Self.values([sound, [Float](repeating: 0, count: 4800)])
        #expect(values["zero_channels"] == 1)
        #expect(values["zero_samples"] == 100)
        #expect(values["level_rms"] == -200)
        #expect(Self.values([sound, sound])["zero_channels"] == 0)
    }

    @Test("a single sample that isn't zero is enough not to be silent")
    func nearlyMuted() {
        var sound = [Float](repeating: 0, count: 4800)
        sound[777] = 1 / 32_768
        #expect(Self.values([sound])["zero_channels"] == 0)
    }

    @Test("samples at full scale count from runs of three of one sign")
    func clipped() throws {
        var sound = [Float](repeating: 0.1, count: 4800)
        sound.replaceSubrange(10..<12, with: [1, 1])
        sound.replaceSubrange(20..<23, with: [1, 1, 1])
        sound.replaceSubrange(30..<35, with: [-1, -1, -1, -1, -1])
        sound.replaceSubrange(40..<44, with: [1, 1, -1, -1])
        sound.replaceSubrange(50..<53, with: [Float](repeating: 32_767 / 32_768, count: 3))
        #expect(try #require(ChannelLevels(sound, rate: 48_000)).clipped == 11)
    }

    @Test("a sine beyond full scale is clipped, and one below is not")
    func clippedSine() {
        let loud = TestSounds.sine(997, amplitude: 1.1, count: 4800).map { min(max($0, -1), 1) }
        #expect(Self.values([loud])["clipped"] ?? 0 > 1000)
        #expect(Self.values([TestSounds.sine(997, amplitude: 0.99, count: 4800)])["clipped"] == 0)
    }

    @Test("what cannot be measured gives all names, no values and no trap")
    func nothing() {
        let broken: [[[Float]]] = [
            [], [[]], [[0.5]], [[Float](repeating: .nan, count: 4800)],
            [[Float](repeating: 0.1, count: 4800), [Float](repeating: .infinity, count: 4800)],
            [[Float](repeating: 0.1, count: 4800), []], [[Float](repeating: 0.1, count: 479)],
        ]
        for channels in broken {
            let sound = SoundMeasures(channels, rate: 48_000)
            #expect(sound.measures.map(\.name) == Self.names)
            #expect(sound.measures.allSatisfy { $0.value == nil })
            #expect(sound.muteMeasure.value == nil || channels.isEmpty)
        }
        for rate in [0, -48_000, .nan, .infinity] {
            #expect(Self.values([[Float](repeating: 0.1, count: 4800)], rate: rate).isEmpty)
        }
        // Too short for a floor, but not for a level.
        let short = Self.values([TestSounds.sine(997, amplitude: 0.1, count: 4700)])
        #expect(short["noise_floor"] == nil && short["level_rms"] != nil)
    }

    @Test("the level while muted is that of the loudest channel")
    func mute() {
        let quiet = [Float](repeating: 0, count: 4800)
        #expect(SoundMeasures([quiet, quiet], rate: 48_000).muteMeasure.value == -200)
        let leaking = TestSounds.sine(997, amplitude: 0.001, count: 4800)
        let found = SoundMeasures([quiet, leaking], rate: 48_000).muteMeasure.value ?? 0
        #expect(abs(found - -60) < 0.1)
    }

    @Test("a plot has a point for 10 ms, and 2,000 at most")
    func plot() throws {
        let sound = SoundMeasures([[Float](repeating: 0.1, count: 48_000)], rate: 48_000)
        #expect(try #require(sound.series.first).points.count == 100)
        let long = SoundMeasures([[Float](repeating: 0.1, count: 30_000)], rate: 1000)
        let series = try #require(long.series.first)
        #expect(series.points.count == 1500)
        #expect(series.points.last?.x == 29.98)
    }
}

@Suite("steps of a gain")
struct GainStepsTests {
    @Test("a control that does what it says has no error, and one that skips a step has the step")
    func steps() throws {
        let good = GainSteps([(0.0, -40.0), (1.5, -38.5), (3, -37)].map { GainSteps.Step(gain: $0.0, level: $0.1) })
        #expect(try #require(good.worstError) < 1e-9)
        let stuck = GainSteps([(0.0, -40.0), (1.5, -40), (3, -37)].map { GainSteps.Step(gain: $0.0, level: $0.1) })
        #expect(abs(try #require(stuck.measures[0].value) - 1.5) < 1e-9)
        #expect(stuck.series.points.count == 3)
    }

    @Test("one step, or a level that could not be measured, has no error")
    func nothing() {
        #expect(GainSteps([]).measures[0].value == nil)
        #expect(GainSteps([GainSteps.Step(gain: 0, level: -40)]).worstError == nil)
        let missing = [GainSteps.Step(gain: 0, level: -40), GainSteps.Step(gain: 3, level: nil)]
        #expect(GainSteps(missing).worstError == nil)
    }
}
