import CaptureGate

extension CheckMakers {
    /// Checks of what a microphone hears.
    static let sound: [String: Maker] = [
        "sound.alive": alive, "sound.tone": tone, "sound.channel_map": channelMap, "sound.distortion": tone,
        "sound.level": level, "sound.round_trip": roundTrip,
    ]

    private static func alive(_ context: CheckContext) async throws(CaptureError) -> CheckFindings {
        let recording = try await context.heard(for: .seconds(3))
        let levels = SoundMeasures(recording.channels, rate: recording.rate)
        return CheckFindings(levels.measures, series: levels.series)
    }

    /// Frequency, level and purity come from one fit, of which each check takes its own.
    private static func tone(_ context: CheckContext) async throws(CaptureError) -> CheckFindings {
        let tone = context.number("tone") ?? 997
        let recording = try await context.playing([tone, tone]) { () async throws(CaptureError) in
            try await context.heard()
        }
        let tones = ChannelTones(recording)
        return CheckFindings(tones.measures(expected: tone), series: tones.series, message: tones.message)
    }

    private static func channelMap(_ context: CheckContext) async throws(CaptureError) -> CheckFindings {
        let tones = try tones(context.words("tones") ?? ["500", "1000"])
        let recording = try await context.playing(tones) { () async throws(CaptureError) in try await context.heard() }
        let map = ChannelMap(recording.channels, rate: recording.rate, tones: tones)
        let wrong = map?.wrong.map { String($0 + 1) } ?? []
        let message = wrong.isEmpty ? nil : "Wrong channels: \(wrong.joined(separator: ", "))."
        return CheckFindings(ChannelMap.measures(of: map), message: message)
    }

    private static func tones(_ words: [String]) throws(CaptureError) -> [Double] {
        let tones = words.compactMap { Double($0) }.filter { $0.isFinite && $0 >= 20 }
        if tones.count == words.count, !tones.isEmpty { return tones }
        throw CaptureError(
            .usage, "These are not tones: \(words.joined(separator: ", ")).",
            remedies: [Remedy("List one frequency per channel, in Hz, at least 20.")])
    }
}

/// The strongest tone of each channel of a recording.
///
/// *thread-safe*
struct ChannelTones: Sendable {
    private let levels: [ChannelLevels?]
    private let tones: [ToneMeasures?]

    init(_ recording: SoundRecording) {
        levels = recording.channels.map { ChannelLevels($0, rate: recording.rate) }
        tones = recording.channels.map { ToneMeasures($0, rate: recording.rate) }
    }

    /// True if all channels could be measured, silent ones included: they have no tone, which is the device's fault.
    private var isMeasured: Bool { !levels.isEmpty && levels.allSatisfy { $0 != nil } }

    /// Level of the quietest channel's tone in dBFS, that of digital silence for a channel without one; `nil` if a channel
    /// could not be measured.
    var level: Double? { isMeasured ? tones.map { $0?.level ?? Decibel.silence }.min() : nil }

    /// Numbers of a channel without any tone: off by 100 %, as quiet as digital silence, and nothing but noise.
    private static let absent: [String: Double] = [
        "tone_frequency_error": 100, "tone_level": Decibel.silence, "thd_n": 100, "thd": 100, "snr": Decibel.silence,
        "spur_max": 0,
    ]

    /// Measures of the worst channel each, without values where a channel could not be measured.
    ///
    /// - Parameter frequency: Hz that was played.
    func measures(expected frequency: Double) -> [Measure] {
        let channels = tones.map { ToneMeasures.measures(of: $0, expected: frequency) }
        return ToneMeasures.measures(of: nil, expected: frequency).compactMap { measure in
            guard let absent = Self.absent[measure.name] else { return nil }
            let values = channels.map { $0.first { $0.name == measure.name }?.value ?? absent }
            let worst = measure.direction == .lower ? values.max() : values.min()
            return Measure(measure.name, isMeasured ? worst : nil, measure.unit, measure.direction)
        }
    }

    /// Spectrum of each channel.
    var series: [Series] {
        tones.enumerated().compactMap { index, tone in tone?.spectrum.series("spectrum_\(index + 1)") }
    }

    /// Channels without any tone.
    var message: String? {
        let silent = tones.indices.filter { tones[$0] == nil }.map { String($0 + 1) }
        return silent.isEmpty || !isMeasured ? nil : "Channels without a tone: \(silent.joined(separator: ", "))."
    }
}

extension CheckMakers {
    /// Plays noise once a second, and searches for it in the recording.
    static func roundTrip(_ context: CheckContext) async throws(CaptureError) -> CheckFindings {
        guard let name = context.word("play") else {
            throw CaptureError(
                .usage, "\(context.planned.name) has no playback device.",
                remedies: [Remedy("Add `play`, such as plughw:0,0.")])
        }
        let times = max(context.count("times") ?? 5, 1)
        let sound = PlayedSound(noiseAt: try context.soundRate())
        // The first repetition has no time, and the last one needs its end.
        let played = try await context.streams.player.play(sound, on: name) { () async throws(CaptureError) in
            try await context.heard(for: .seconds(times + 2), after: .zero)
        }
        let loop = LoopRuns(sound, played.starts, played.output)
        guard loop.runs.count >= times else {
            throw CaptureError(.unavailable, "\(name) played only \(loop.runs.count) times instead of \(times).")
        }
        return CheckFindings(loop.measures(first: times))
    }
}

/// Repetitions of a sound in a recording.
///
/// *thread-safe*
struct LoopRuns: Sendable {
    /// Longest delay that is looked for, in seconds.
    static let longest = 0.5
    /// Time before a start at which the search begins, in seconds: a driver may report the time of a whole period.
    private static let before = 0.05

    /// Delay of each repetition that lies in the recording; `nil` if it was not found.
    let runs: [LoopDelay?]

    /// - Parameters:
    ///   - sound: the played sound, without the silence at its end.
    ///   - starts: times at which it began, CLOCK_MONOTONIC in ns.
    ///   - recording: the recorded audio.
    init(_ sound: PlayedSound, _ starts: [Int64], _ recording: SoundRecording) {
        let burst = stride(from: 0, to: sound.samples.count / 4, by: sound.channels).map {
            Float(sound.samples[$0]) / 32_768
        }
        let length = burst.count + Int((Self.before + Self.longest) * recording.rate)
        runs = starts.compactMap { start -> LoopDelay?? in
            guard let begin = recording.frame(at: start - Int64(Self.before * 1e9)) else { return nil }
            guard begin.number + length <= recording.channels[0].count else { return nil }
            let before = Self.before * recording.rate - begin.late
            // The sound may be on any channel.
            return .some(
                recording.channels.lazy.compactMap { channel in
                    LoopDelay(
                        played: burst, recorded: Array(channel[begin.number..<begin.number + length]), before: before,
                        rate: recording.rate)
                }.first)
        }
    }

    /// Measures of the first runs. A sound that was never found counts with the longest delay that was searched: silence is the
    /// device's fault.
    func measures(first count: Int) -> [Measure] {
        let runs = Array(runs.prefix(count))
        let measures = LoopDelay.measures(of: runs)
        guard runs.allSatisfy({ $0 == nil }) else { return measures }
        return measures.filter { $0.value != nil } + [
            Measure("round_trip_median", 1000 * Self.longest, "ms", .lower),
            Measure("round_trip_spread", 0, "ms", .lower),
        ]
    }
}
