/// Levels of one channel of a recording.
///
/// *thread-safe*
package struct ChannelLevels: Hashable, Sendable {
    /// RMS level in dBFS as of AES17: a sine of full scale has 0, digital silence −200.
    package let level: Double
    /// Largest magnitude in dBFS; 0 is full scale.
    package let peak: Double
    /// Mean of the samples, −1...1.
    package let offset: Double
    /// RMS level of the quietest 100 ms in dBFS, without its mean; `nil` for a shorter recording.
    package let noiseFloor: Double?
    /// Percent of the samples that are exactly zero.
    package let zeros: Double
    /// Samples at full scale in runs of three or more of one sign. A clean sine touches full scale for one or two.
    package let clipped: Int
    /// RMS levels of blocks of 10 ms in dBFS.
    package let envelope: [Double]

    /// The largest sample of 16 bits as a number: from it on, a sample counts as full scale in all formats.
    private static let fullScale: Float = 32_767.0 / 32_768.0

    /// Measures a channel.
    ///
    /// - Parameters:
    ///   - samples: −1...1, at least 10 ms and 16 of them.
    ///   - rate: samples a second.
    /// - Returns: `nil` for fewer samples, for one that is not finite, and for impossible rates.
    package init?(_ samples: [Float], rate: Double) {
        guard SoundSpectrum.isSound(samples, rate), samples.count >= Int(rate / 100) else { return nil }
        let blocks = Self.blocks(samples, length: Int(rate / 100))
        let count = Double(samples.count)
        level = Decibel.fullScale(meanSquare: blocks.reduce(0) { $0 + $1.squares } / count)
        peak = Decibel.amplitude(Double(samples.reduce(0) { max($0, abs($1)) }))
        offset = blocks.reduce(0) { $0 + $1.sum } / count
        zeros = 100 * Double(samples.count { $0 == 0 }) / count
        clipped = Self.clipped(samples)
        // A rest of less than 10 ms at the end counts in the level, but is not a separate block.
        let whole = blocks.filter { $0.count == blocks[0].count }
        noiseFloor = Self.quietest(whole)
        envelope = whole.map { Decibel.fullScale(meanSquare: $0.squares / Double($0.count)) }
    }

    /// True if all samples are zero: nothing is connected inside, not even an amplifier's noise.
    package var isSilent: Bool { zeros == 100 }

    private struct Block {
        var count = 0
        var sum = 0.0
        var squares = 0.0
    }

    private static func blocks(_ samples: [Float], length: Int) -> [Block] {
        stride(from: 0, to: samples.count, by: length).map { start in
            var block = Block()
            for sample in samples[start..<min(start + length, samples.count)] {
                block.count += 1
                block.sum += Double(sample)
                block.squares += Double(sample) * Double(sample)
            }
            return block
        }
    }

    /// Least level of ten blocks in a row. Their mean is no noise: an offset would hide the floor.
    private static func quietest(_ blocks: [Block]) -> Double? {
        guard blocks.count >= 10 else { return nil }
        let variances = (0...blocks.count - 10).map { start in
            let ten = blocks[start..<start + 10]
            let count = Double(10 * blocks[0].count)
            let mean = ten.reduce(0) { $0 + $1.sum } / count
            return max(ten.reduce(0) { $0 + $1.squares } / count - mean * mean, 0)
        }
        return variances.min().map(Decibel.fullScale(meanSquare:))
    }

    private static func clipped(_ samples: [Float]) -> Int {
        var (sum, run, sign) = (0, 0, FloatingPointSign.plus)
        for sample in samples {
            if abs(sample) < fullScale {
                run = 0
                continue
            }
            run = run > 0 && sample.sign == sign ? run + 1 : 1
            sign = sample.sign
            // The third one brings those before it along.
            sum += run == 3 ? 3 : run > 3 ? 1 : 0
        }
        return sum
    }
}

/// Levels of all channels of a recording.
///
/// The caller omits the time that a device needs to settle, such as the first half second. *thread-safe*
package struct SoundMeasures: Hashable, Sendable {
    /// Levels by channel; `nil` for one that could not be measured.
    package let channels: [ChannelLevels?]

    /// - Parameters:
    ///   - channels: samples by channel, −1...1.
    ///   - rate: samples a second.
    package init(_ channels: [[Float]], rate: Double) {
        self.channels = channels.map { ChannelLevels($0, rate: rate) }
    }

    /// Measures of the worst channel each, without limits; without values unless all channels could be measured:
    /// `level_rms` (dBFS, of the quietest), `peak` (dBFS), `dc_offset` (magnitude, % of full scale), `noise_floor` (dBFS),
    /// `zero_samples` (%), `zero_channels` (channels that are all zero) and `clipped` (samples of all channels).
    package var measures: [Measure] {
        let known = channels.compactMap { $0 }
        let levels = known.count == channels.count ? known : []
        let floors = levels.compactMap(\.noiseFloor)
        let isKnown = !levels.isEmpty
        return [
            Measure("level_rms", levels.map(\.level).min(), "dBFS", .target),
            Measure("peak", levels.map(\.peak).max(), "dBFS", .target),
            Measure("dc_offset", levels.map { 100 * abs($0.offset) }.max(), "%", .lower),
            Measure("noise_floor", floors.count == levels.count ? floors.max() : nil, "dBFS", .lower),
            Measure("zero_samples", levels.map(\.zeros).max(), "%", .lower),
            Measure("zero_channels", isKnown ? Double(levels.count { $0.isSilent }) : nil, "channels", .lower),
            Measure("clipped", isKnown ? Double(levels.reduce(0) { $0 + $1.clipped }) : nil, "samples", .lower),
        ]
    }

    /// Measure `mute_level` (dBFS) of a recording while the device is muted: the level of the loudest channel.
    package var muteMeasure: Measure {
        let levels = channels.compactMap { $0?.level }
        return Measure("mute_level", levels.count == channels.count ? levels.max() : nil, "dBFS", .lower)
    }

    /// Level over time of each channel, for plots: the loudest 10 ms of each of up to 2,000 points.
    package var series: [Series] {
        channels.enumerated().compactMap { index, levels in
            guard let envelope = levels?.envelope else { return nil }
            let group = max((envelope.count + Series.mostPoints - 1) / Series.mostPoints, 1)
            let points = stride(from: 0, to: envelope.count, by: group).map { start in
                let loudest = envelope[start..<min(start + group, envelope.count)].max() ?? Decibel.silence
                return Series.Point(Double(start) / 100, loudest)
            }
            return Series("level_\(index + 1)", .line, x: "time (s)", y: "level (dBFS)", points)
        }
    }
}

/// Levels at several settings of a gain control.
///
/// *thread-safe*
package struct GainSteps: Hashable, Sendable {
    /// A setting and the recording made with it.
    package struct Step: Hashable, Sendable {
        /// Gain in dB, as the control reports it.
        package var gain: Double
        /// Level in dBFS; `nil` if it could not be measured.
        package var level: Double?

        package init(gain: Double, level: Double?) {
            self.gain = gain
            self.level = level
        }
    }

    package var steps: [Step]

    /// - Parameter steps: in the order in which they were set.
    package init(_ steps: [Step]) { self.steps = steps }

    /// Largest difference between what a step should change and what it changed, in dB; `nil` below two steps, or if a level
    /// is missing.
    package var worstError: Double? {
        guard steps.allSatisfy({ $0.level != nil }) else { return nil }
        return zip(steps, steps.dropFirst()).map { step, next in
            abs((next.level ?? 0) - (step.level ?? 0) - (next.gain - step.gain))
        }.max()
    }

    /// Measure `gain_error_max` (dB, the worst error), without a limit.
    package var measures: [Measure] { [Measure("gain_error_max", worstError, "dB", .lower)] }

    /// Level over gain, for a plot.
    package var series: Series {
        Series(
            "gain", .dots, x: "gain (dB)", y: "level (dBFS)",
            steps.compactMap { step in
                step.level.map { Series.Point(step.gain, $0) }
            })
    }
}
