/// A period of a microphone as far as its timing goes. *thread-safe*
package struct TimedPeriod: Hashable, Sendable {
    /// Number of its first audio frame since the start, lost ones counted.
    package var sequence: UInt64
    /// Timestamp of its first audio frame, CLOCK_MONOTONIC in ns; any value, since it is judged.
    package var timestamp: Int64
    /// Audio frames that it holds.
    package var frames: Int
    /// Audio frames lost directly before it, by the ledger.
    package var lostBefore: UInt64

    package init(sequence: UInt64, timestamp: Int64, frames: Int, lostBefore: UInt64 = 0) {
        self.sequence = sequence
        self.timestamp = timestamp
        self.frames = frames
        self.lostBefore = lostBefore
    }
}

/// Rate, length, overruns and steps of a microphone's audio.
///
/// The rate is the slope of a straight line through (time, audio frames), by least squares: the ends of a capture count no more
/// than its middle, so single late timestamps have little effect. A number that the periods do not show is `nil`: every number for
/// fewer than two periods. *thread-safe*
package struct SoundTiming: Sendable {
    /// Nominal audio frames per second; `nil` for an impossible rate.
    private let nominalRate: Double?
    private let periods: [TimedPeriod]
    private let asked: Int64?
    private let overruns: UInt64?
    /// Audio frames of a usual period.
    private let usual: Double
    private let steps: TimingSample?
    private let fit: SlopeFit?

    /// Reads a capture.
    ///
    /// - Parameters:
    ///   - periods: in the order in which they were delivered.
    ///   - rate: nominal audio frames per second, as a fraction of positive numbers.
    ///   - asked: requested length in ns; `nil` if none was requested.
    ///   - xruns: the capture's own counter; `nil` counts the periods before which something is lost.
    ///   - merging: periods whose timestamps are nearer together than this share of a usual one count as one step, 0 to 1.
    package init(
        _ periods: [TimedPeriod], rate: (numerator: Int, denominator: Int), asked: Int64? = nil, xruns: UInt64? = nil,
        merging: Double = 0.1
    ) {
        let isRate = rate.numerator > 0 && rate.denominator > 0
        let nominal = isRate ? Double(rate.numerator) / Double(rate.denominator) : nil
        let usual = TimingSample(periods.map { Double(max($0.frames, 0)) })?.median ?? 0
        let stretches = PeriodStep.stretches(of: periods, within: nominal.map { max(merging, 0) * usual / $0 } ?? 0)
        (self.periods, self.asked, self.usual, nominalRate, overruns) = (periods, asked, usual, nominal, xruns)
        steps = usual > 0 ? TimingSample(stretches.joined().map { $0.frames / usual }) : nil
        // What differs from the nominal line is a small number, of which no digits are lost to the hours before it.
        fit = SlopeFit(stretches.map { $0.map { Series.Point($0.time, $0.position - (nominal ?? 0) * $0.time) } })
    }
}

/// Periods that arrived at once: a device may move its pointer by several, or have a clock so coarse that they seem to.
///
/// Of points that are nearer together than a threshold only the last counts for the line, as in alsa_conformance_test, since it is
/// correct at that moment. Unlike there the threshold counts from the first of them, so that a clock that stops or creeps does not
/// merge a whole capture.
private struct PeriodStep {
    /// Seconds from the first period of all to the last one of these.
    var time: Double
    /// Audio frames from the first one of all to the first one of the last of these.
    var position: Double
    /// Audio frames of all of these.
    var frames: Double
    /// Time of the first one of these.
    private let begin: Double

    private init(_ time: Double, _ position: Double, _ period: TimedPeriod) {
        (begin, self.time, self.position, frames) = (time, time, position, Double(max(period.frames, 0)))
    }

    private mutating func merge(_ other: PeriodStep) {
        (time, position) = (other.time, other.position)
        frames += other.frames
    }

    /// Steps of a capture, in stretches within which nothing is lost: how long an overrun took is a guess by the clock, and must
    /// not pull the line to the clock.
    ///
    /// - Parameter threshold: seconds.
    static func stretches(of periods: [TimedPeriod], within threshold: Double) -> [[PeriodStep]] {
        var (stretches, current, position): ([[PeriodStep]], [PeriodStep], Double) = ([], [], 0)
        for (index, period) in periods.enumerated() {
            if index > 0 { position += periods[index - 1].framesUntil(period) }
            let time = period.timestamp.elapsed(since: periods[0].timestamp) / 1e9
            if period.lostBefore > 0, !current.isEmpty {
                stretches.append(current)
                current = []
            }
            let step = PeriodStep(time, position, period)
            if let last = current.last, (last.begin..<last.begin + threshold).contains(time) {
                current[current.count - 1].merge(step)
            } else {
                current.append(step)
            }
        }
        return stretches + [current]
    }
}

extension TimedPeriod {
    /// Audio frames from its first one to the first one of the next period; its own length where the number does not rise.
    fileprivate func framesUntil(_ next: TimedPeriod) -> Double {
        next.sequence > sequence ? Double(next.sequence - sequence) : Double(max(frames, 0))
    }
}

// MARK: - Numbers

extension SoundTiming {
    private var isTold: Bool { periods.count > 1 }

    /// Audio frames a second by CLOCK_MONOTONIC.
    package var rate: Double? { fit.map { $0.slope + (nominalRate ?? 0) } }
    /// Difference of ``rate`` from the nominal one in %, positive for a microphone that is too fast.
    package var rateError: Double? { nominalRate.flatMap { nominal in fit.map { $0.slope / nominal * 100 } } }
    /// Uncertainty of ``rateError`` in %, at 95 %.
    package var rateUncertainty: Double? {
        nominalRate.flatMap { nominal in fit?.uncertainty.map { $0 / nominal * 100 } }
    }
    /// Distance of the timestamps from the line in audio frames: root of the mean square.
    package var rateResidual: Double? { fit?.deviation }

    /// Excess of the audio's length over the requested one, in periods; negative if it is shorter.
    ///
    /// Audio has two lengths: that of its audio frames at the nominal rate, and the time by the clock from the first to the end of
    /// the last. Whether a capture ends after a number of frames or a time, a wrong rate shows in one of them: the length that is
    /// farther from the requested one counts.
    package var durationError: Double? {
        guard let asked, let nominalRate, usual > 0, isTold, let first = periods.first, let last = periods.last else {
            return nil
        }
        let content = periods.reduce(0) { $0 + Double(max($1.frames, 0)) } / nominalRate
        let time = last.timestamp.elapsed(since: first.timestamp) / 1e9 + Double(max(last.frames, 0)) / nominalRate
        let errors = [content - Double(asked) / 1e9, time - Double(asked) / 1e9]
        return errors.max { abs($0) < abs($1) }.map { $0 * nominalRate / usual }
    }

    /// Overruns.
    package var xruns: Double? {
        isTold ? overruns.map { Double($0) } ?? Double(periods.count { $0.lostBefore > 0 }) : nil
    }

    /// Audio frames lost, by the ledger; never guessed from the time.
    package var lost: Double? { isTold ? periods.reduce(0) { $0 + Double($1.lostBefore) } : nil }

    /// Audio frames by which the sequence numbers and the ledger differ: 0 if it adds up.
    package var ledgerDifference: Double? {
        guard isTold else { return nil }
        return zip(periods, periods.dropFirst()).reduce(0) { sum, pair in
            let made = Double(max(pair.0.frames, 0)) + Double(pair.1.lostBefore)
            return sum + abs(pair.0.framesUntil(pair.1) - made)
        }
    }

    /// Largest number of periods that arrived at once.
    package var stepMax: Double? { isTold ? steps?.most : nil }
    /// Standard deviation of how much came at once, in usual periods.
    package var stepDeviation: Double? { isTold ? steps?.deviation : nil }
}

// MARK: - For the report

extension SoundTiming {
    /// All numbers, without limits. `duration_error` is among them if a length was requested.
    package var measures: [Measure] {
        let duration = asked == nil ? [] : [Measure("duration_error", durationError, "periods", .target)]
        return [
            Measure("sound_rate", rate, "Hz", .target),
            Measure("sound_rate_error", rateError, "%", .target),
            Measure("sound_rate_uncertainty", rateUncertainty, "%", .lower),
            Measure("sound_rate_residual", rateResidual, "frames", .lower),
        ] + duration + [
            Measure("xruns", xruns, "overruns", .lower),
            Measure("lost", lost, "frames", .lower),
            Measure("ledger_difference", ledgerDifference, "frames", .lower),
            Measure("step_max", stepMax, "periods", .lower),
            Measure("step_deviation", stepDeviation, "periods", .lower),
        ]
    }

    /// Distance of each step from the line.
    package var series: [Series] {
        [.thinned("sound_residual", x: "time (s)", y: "distance (frames)", fit?.residuals ?? [])]
    }
}
