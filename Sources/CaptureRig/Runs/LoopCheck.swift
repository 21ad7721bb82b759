import CaptureGate

extension CheckMakers {
    /// Plays noise once a second, and looks for it in the recording.
    static func roundTrip(_ context: CheckContext) async throws(CaptureError) -> CheckFindings {
        guard let name = context.word("play") else {
            throw CaptureError(
                .usage, "\(context.planned.name) does not say on which device to play.",
                remedies: [Remedy("Give it `play`, such as plughw:0,0.")])
        }
        let times = max(context.count("times") ?? 5, 1)
        let sound = PlayedSound(noiseAt: try context.soundRate())
        // The first repetition has no time, and the last one needs its end.
        let played = try await context.streams.player.play(sound, on: name) { () async throws(CaptureError) in
            try await context.heard(for: .seconds(times + 2), after: .zero)
        }
        let loop = LoopRuns(sound, played.starts, played.output)
        guard loop.runs.count >= times else {
            throw CaptureError(.unavailable, "\(name) played only \(loop.runs.count) of \(times) times.")
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
    /// Time before a start from which on it is looked for, in seconds: a driver may tell the time of a whole period.
    private static let before = 0.05

    /// Delay of each repetition that lies in the recording; `nil` where it was not found.
    let runs: [LoopDelay?]

    /// - Parameters:
    ///   - sound: what was played, from which the silence at the end is left out.
    ///   - starts: times at which it began, CLOCK_MONOTONIC in ns.
    ///   - recording: what was heard.
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

    /// Measures of the first runs. A sound that was never found is as late as the longest delay that was looked for: silence is
    /// the device's fault.
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
