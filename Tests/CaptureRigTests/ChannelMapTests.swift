import CaptureRig
import Testing

@Suite("map of channels")
struct ChannelMapTests {
    private static let tones = [440.0, 660, 997, 1500]

    private static func sound(_ tone: Double, seed: Int = 1) -> [Float] {
        TestSounds.sum(
            TestSounds.sine(tone, amplitude: 0.3, count: 4800), TestSounds.noise(rms: 1e-3, count: 4800, seed: seed))
    }

    private static func map(_ channels: [[Float]], _ tones: [Double] = tones) throws -> ChannelMap {
        try #require(ChannelMap(channels, rate: 48_000, tones: tones))
    }

    @Test("each tone in its own channel is right for any seed, though clocks differ", arguments: 0..<50)
    func good(_ seed: Int) throws {
        let channels = Self.tones.suffix(2).enumerated().map {
            Self.sound($0.element * 1.008, seed: 2 * seed + $0.offset)
        }
        let map = try Self.map(channels, Array(Self.tones.suffix(2)))
        #expect(map.wrong.isEmpty)
        #expect(ChannelMap.measures(of: map).first?.value == 0)
    }

    @Test("two swapped channels of four are both wrong")
    func swapped() throws {
        let channels = [440.0, 997, 660, 1500].map { Self.sound($0) }
        let map = try Self.map(channels)
        #expect(map.wrong == [1, 2])
        #expect(ChannelMap.measures(of: map).first?.value == 2)
    }

    @Test("a muted channel is wrong, and so is one that is missing")
    func muted() throws {
        let channels = [Self.sound(440), [Float](repeating: 0, count: 4800), Self.sound(997)]
        #expect(try Self.map(channels).wrong == [1, 3])
    }

    @Test("a neighbour's tone counts from −40 dB", arguments: [(-45.0, 0), (-35, 1)])
    func crosstalk(_ level: Double, _ wrong: Int) throws {
        let leak = TestSounds.sine(660, amplitude: 0.3 * TestSounds.amplitude(level), count: 4800)
        let map = try Self.map([TestSounds.sum(Self.sound(440), leak), Self.sound(660)], [440, 660])
        #expect(map.wrong.count == wrong)
        #expect(abs(try #require(ChannelMap.measures(of: map)[1].value) - level) < 0.5)
    }

    @Test("one signal in all channels is wrong in each that should have another")
    func mono() throws {
        let sound = Self.sound(440)
        #expect(try Self.map([sound, sound, sound, sound]).wrong == [1, 2, 3])
    }

    @Test("channels that share a tone are right, and a single channel has no crosstalk to tell")
    func shared() throws {
        #expect(try Self.map([Self.sound(440), Self.sound(440)], [440, 440]).wrong.isEmpty)
        let single = try Self.map([Self.sound(440)], [440])
        #expect(ChannelMap.measures(of: single).map(\.name) == ["channels_wrong"])
    }

    @Test("what cannot be measured gives no map, no values and no trap")
    func nothing() {
        let sound = Self.sound(440)
        for channels in [[], [[]], [[0.5]], [sound, []], [sound.map { $0 / 0 }]] {
            #expect(ChannelMap(channels, rate: 48_000, tones: [440, 660]) == nil)
        }
        for tones in [[], [0], [-1], [.nan], [.infinity], [24_000]] {
            #expect(ChannelMap([sound], rate: 48_000, tones: tones) == nil)
        }
        #expect(ChannelMap([sound], rate: .nan, tones: [440]) == nil)
        #expect(ChannelMap.measures(of: nil).allSatisfy { $0.value == nil })
    }
}
