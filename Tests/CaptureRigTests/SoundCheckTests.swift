import CaptureRealtime
import CaptureRig
import Glibc
import Testing

@testable import CaptureGate
@testable import CaptureRig

/// A virtual device's fault, and the measure that must find it.
struct SoundTwin: Sendable, CustomTestStringConvertible {
    let check: String
    let measure: String
    let parameters: [String: PlanValue]
    let faults: FaultPlan

    init(
        _ check: String, _ measure: String, _ parameters: [String: PlanValue] = [:],
        _ change: (inout FaultPlan) -> Void
    ) {
        var faults = FaultPlan()
        change(&faults)
        (self.check, self.measure, self.parameters, self.faults) = (check, measure, parameters, faults)
    }

    var testDescription: String { "\(check): \(measure) of \(faults)" }
}

@Suite("Checks of what a microphone hears, on virtual devices")
struct SoundCheckTests {
    /// Small enough for a debug build.
    static let small: [String: PlanValue] = [
        "rate": .count(8000), "channels": .count(1), "for": .duration(.milliseconds(500)),
    ]
    static let two: [String: PlanValue] = ["channels": .count(2)]
    static let played: [String: PlanValue] = ["play": .word("virtual"), "times": .count(1)]

    static func result(
        _ check: String, _ faults: FaultPlan, _ parameters: [String: PlanValue] = [:]
    ) async throws -> CheckResult {
        let known = try #require(CheckCatalogue.check(check)).parameters.map(\.name)
        let all = small.merging(parameters) { $1 }.filter { known.contains($0.key) }
        return try await VirtualRig.result(check, microphone: faults, parameters: all)
    }

    static let twins = [
        SoundTwin("sound.alive", "zero_channels", two) { $0.muted = [1] },
        SoundTwin("sound.alive", "zero_channels") { $0.muted = [0] },
        SoundTwin("sound.alive", "dc_offset") { $0.offset = -0.02 },
        SoundTwin("sound.tone", "tone_frequency_error") { $0.tone = 1010 },
        SoundTwin("sound.tone", "tone_frequency_error") { $0.muted = [0] },
        SoundTwin("sound.tone", "tone_level", two) { $0.muted = [1] },
        SoundTwin("sound.tone", "spur_max") { $0.clipping = 0.5 },
        SoundTwin("sound.tone", "spur_max", played) { $0.clipping = 0.5 },
        SoundTwin("sound.distortion", "snr") { $0.noise = 0.01 },
        SoundTwin("sound.distortion", "thd_n") { $0.clipping = 0.8 },
        SoundTwin("sound.distortion", "snr") { $0.muted = [0] },
        SoundTwin("sound.channel_map", "channels_wrong", two) { ($0.tone, $0.isOneTone) = (500, true) },
        SoundTwin("sound.channel_map", "channels_wrong", two.merging(played) { $1 }) { $0.swapsChannels = true },
        SoundTwin("sound.channel_map", "channels_wrong", two.merging(played) { $1 }) { $0.muted = [0, 1] },
        SoundTwin("sound.level", "gain_error_max") { $0.gainError = 2 },
        SoundTwin("sound.level", "gain_error_max", played) { $0.gainError = -2 },
        SoundTwin("sound.level", "gain_error_max") { $0.muted = [0] },
        SoundTwin("sound.level", "mute_level") { $0.ignoresMute = true },
        SoundTwin("sound.round_trip", "round_trip_median", played) { $0.roundTrip = .milliseconds(150) },
        SoundTwin("sound.round_trip", "round_trip_missed", played) { $0.muted = [0] },
    ]

    @Test("A check finds the fault that it is about, and calls it the device's", arguments: twins)
    func faulty(twin: SoundTwin) async throws {
        let result = try await Self.result(twin.check, twin.faults, twin.parameters)
        #expect(result.verdict == .fail, "\(result)")
        #expect(result.measures.first { $0.name == twin.measure }?.verdict == .fail, "\(result.measures)")
    }

    @Test("A good microphone passes it with every seed", arguments: Set(twins.map(\.check)).sorted())
    func good(check: String) async throws {
        let needsPlaying = ["sound.channel_map", "sound.round_trip"].contains(check)
        for seed in Extent.seeds {
            var faults = FaultPlan()
            (faults.seed, faults.noise) = (seed, check == "sound.alive" || needsPlaying ? 0.0001 : 0)
            (faults.roundTrip, faults.tone) = (.nanoseconds(Int64(seed) * 1_234_567), 997)
            var own = check == "sound.channel_map" ? Self.two : [:]
            // It records seven times.
            if check == "sound.level" { own["for"] = .duration(.milliseconds(100)) }
            let result = try await Self.result(
                check, faults, own.merging(needsPlaying ? Self.played : [:]) { $1 })
            #expect(result.verdict.isGood, "\(seed): \(result)")
        }
    }

    @Test("A round trip has the length that the sound needs", arguments: [0, 7, 42.5])
    func roundTrip(milliseconds: Double) async throws {
        var faults = FaultPlan()
        faults.roundTrip = .nanoseconds(Int64(milliseconds * 1e6))
        let result = try await Self.result("sound.round_trip", faults, ["play": .word("virtual"), "times": .count(3)])
        #expect(isNear(result.measures.value("round_trip_median"), milliseconds, by: 0.01), "\(result)")
        #expect(isNear(result.measures.value("round_trip_spread"), 0, by: 0.01))
    }

    @Test("A round trip without a playback device is an error that says so")
    func noPlayback() async throws {
        let result = try await Self.result("sound.round_trip", FaultPlan())
        #expect(result.verdict == .error)
        #expect(result.message?.contains("has no playback device") == true)
    }

    @Test("A control that the card lacks is an error with those that it has")
    func noControl() async throws {
        let result = try await Self.result("sound.level", FaultPlan(), ["control": .word("boost")])
        #expect(result.verdict == .error)
        #expect(result.message == "The card has no gain in decibels with the name boost. It has capture_volume.")
    }

    @Test("A card without any gain is skipped, unless the plan names another")
    func noGain() async throws {
        var faults = FaultPlan()
        faults.hasNoGain = true
        // The plan's reader puts the standard name in.
        for parameters in [[:], ["control": .word("capture_volume")]] as [[String: PlanValue]] {
            let result = try await Self.result("sound.level", faults, parameters)
            #expect(result.verdict == .skip)
            #expect(result.message == "The card has no gain in decibels that can be set.")
        }
        let named = try await Self.result("sound.level", faults, ["control": .word("boost")])
        #expect(named.verdict == .error)
        #expect(named.message == "The card has no gain in decibels with the name boost. It has none.")
    }

    @Test("A sound that no memory holds is refused")
    func tooLong() async throws {
        let result = try await Self.result("sound.alive", FaultPlan(), ["for": .duration(.seconds(36_000))])
        #expect(result.verdict == .error)
        #expect(result.message == "Audio of this length does not fit into memory.")
    }

    @Test("A tone with a fraction of a Hz is not played, as its repetition would click")
    func fraction() async throws {
        let result = try await Self.result(
            "sound.tone", FaultPlan(), ["tone": .number(997.5), "play": .word("virtual")])
        #expect(result.verdict == .error)
        #expect(result.message == "A tone of 997.5 Hz can't be played at 8000 Hz.")
    }

    @Test("A sound is played as long as the body runs")
    func plays() async throws {
        let sound = PlayedSound(noiseAt: 8000)
        let played = try await DevicePlayer().play(sound, on: "null") { () async throws(CaptureError) in 42 }
        #expect(played.output == 42)
    }

    @Test("A playback device that is not there, or busy, is the bench's fault")
    func playbackErrors() async throws {
        let sound = PlayedSound(noiseAt: 8000)
        for (number, text) in [(ENOENT, "can't be opened"), (EBUSY, "Another program plays")] {
            let error = DevicePlayer.error(RealtimeFault(.openPCM, result: -number), "hw:9", sound)
            #expect(error.message.contains(text) && [.unavailable, .busy].contains(error.kind))
        }
        await #expect(throws: CaptureError.self) {
            _ = try await DevicePlayer().play(sound, on: "hw:CARD=nobody") { () async throws(CaptureError) in 1 }
        }
    }
}

@Suite("Recordings of a check of sound")
struct SoundRecordingTests {
    private static let halves: [(SampleFormat, [UInt8])] = [
        (.s16, [0, 0x40, 0, 0xC0]), (.s24Packed, [0, 0, 0x40, 0, 0, 0xC0]), (.s24, [0, 0, 0x40, 0, 0, 0, 0xC0, 0xFF]),
        (.s32, [0, 0, 0, 0x40, 0, 0, 0, 0xC0]), (.float32, [0, 0, 0, 0x3F, 0, 0, 0, 0xBF]),
    ]

    @Test("Samples of each format are numbers of their channel")
    func formats() throws {
        for (sampleFormat, bytes) in Self.halves {
            let format = AudioFormat(sampleRate: 1000, channels: 2, sampleFormat: sampleFormat)
            var recording = try SoundRecording(.audio(format), after: .zero, keeping: .milliseconds(3))
            recording.inspect(
                FrameHeader(sequence: 0, timestamp: 0, byteCount: bytes.count, frameCount: 1), bytes.span.bytes)
            #expect(recording.channels == [[0.5], [-0.5]], "\(sampleFormat)")
        }
    }

    @Test("A recording leaves the beginning out, keeps so many frames and knows the time of each")
    func times() throws {
        let format = AudioFormat(sampleRate: 1000, channels: 1, sampleFormat: .s16)
        var recording = try SoundRecording(.audio(format), after: .milliseconds(3), keeping: .milliseconds(5))
        for period in 0..<5 as Range<UInt8> {
            let bytes = [2 * period, 0, 2 * period + 1, 0]
            let time = 1_000_000_000 + Int64(period) * 2_000_000
            recording.inspect(FrameHeader(sequence: 0, timestamp: time, byteCount: 4, frameCount: 2), bytes.span.bytes)
        }
        #expect(recording.channels[0].map { $0 * 32_768 } == [3, 4, 5, 6, 7])
        #expect(recording.time(of: 0) == 1_003_000_000 && recording.time(of: 4) == 1_007_000_000)
        #expect(recording.frame(at: 1_004_000_000)?.number == 1)
        #expect(isNear(recording.frame(at: 1_004_250_000)?.late, 0.75, by: 1e-6))
        #expect(recording.frame(at: 1_002_000_000) == nil && recording.frame(at: 1_008_000_000) == nil)
        #expect(recording.span == 1_003_000_000...1_007_000_000)
    }
}

@Suite("Controls of a check of the gain")
struct GainControlsTests {
    static func volume(_ name: String, _ range: ClosedRange<Int64>, step: Int64 = 1, value: Int64 = 7) -> DeviceControl
    {
        DeviceControl(
            id: 1, name: name, label: name, kind: .integer, range: range, step: step, value: .integer(value),
            decibels: ControlDecibels(range: -20...20, value: 0))
    }

    static func toggle(_ name: String) -> DeviceControl {
        DeviceControl(id: 2, name: name, label: name, kind: .boolean, range: 0...1, value: .integer(1))
    }

    @Test(
        "Settings are spread over the range, on its steps",
        arguments: [
            (0...5 as ClosedRange<Int64>, 1 as Int64, [0, 1, 2, 3, 4, 5] as [Int64]),
            (0...31, 1, [0, 6, 12, 18, 24, 31]),
            (-10...10, 5, [-10, -5, 0, 5, 10]), (3...3, 1, []), (.min ... .max, 1, []),
        ])
    func settings(range: ClosedRange<Int64>, step: Int64, settings: [Int64]) throws {
        let controls = try GainControls(named: "gain", mute: nil, among: [Self.volume("gain", range, step: step)])
        #expect(controls.settings == settings)
    }

    @Test("A gain that the plan leaves open is the card's only one, or the one of the usual name")
    func openName() {
        let (boost, usual) = (Self.volume("mic_boost", 0...3), Self.volume("capture_volume", 0...3))
        #expect(GainControls.name(nil, among: [boost, Self.toggle("mic_switch")]) == "mic_boost")
        #expect(GainControls.name("capture_volume", among: [boost]) == "mic_boost")
        #expect(GainControls.name(nil, among: [boost, usual]) == "capture_volume")
        #expect(GainControls.name("line_boost", among: [boost]) == "line_boost")
    }

    @Test("The switch is that of the same name, whichever way it mutes")
    func mute() throws {
        let all = [Self.volume("mic_volume", 0...3), Self.toggle("mic_switch"), Self.toggle("line_mute")]
        let controls = try GainControls(named: "mic_volume", mute: nil, among: all)
        #expect(controls.mute?.name == "mic_switch")
        #expect(controls.value(isMuted: true) == .integer(0))
        let other = try GainControls(named: "mic_volume", mute: "line_mute", among: all)
        #expect(other.value(isMuted: true) == .integer(1))
    }

    /// Mixer of a card that refuses everything but the values of `allowed`.
    private struct StubbornMixer: SoundMixer {
        let written: Recorded

        func controls() async throws(CaptureError) -> [DeviceControl] { [volume("capture_volume", 0...5)] }

        func set(_ value: ControlValue, of control: DeviceControl) async throws(CaptureError) -> DeviceControl {
            written.append(value)
            throw CaptureError(.notAsAsked, "No.")
        }
    }

    @Test("Each control is set back, and the first error told")
    func setBack() async throws {
        let written = Recorded()
        let controls = try GainControls(
            named: "a_volume", mute: nil, among: [Self.volume("a_volume", 0...9), Self.toggle("a_switch")])
        let error = await controls.setBack(on: StubbornMixer(written: written))
        #expect(error?.kind == .notAsAsked)
        #expect(written.values == [.integer(7), .integer(1)])
    }
}

/// Values that were written, in their order.
private final class Recorded: Sendable {
    private let all = Locked<[ControlValue]>([])

    var values: [ControlValue] { all.withLock { $0 } }

    func append(_ value: ControlValue) { all.withLock { $0.append(value) } }
}
