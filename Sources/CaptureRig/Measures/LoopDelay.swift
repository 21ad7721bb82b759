/// Time from a played sound to its recording, by cross-correlation.
///
/// The sound should be noise or a sweep: a steady tone fits after each of its periods, and is reported as not found. *thread-safe*
package struct LoopDelay: Hashable, Sendable {
    /// Frames from the first played to the first recorded one, at least as many below 0 as there are before it.
    package let frames: Double
    /// Height of the correlation's peak relative to the highest one more than 0.5 ms away from it; noise without the sound has 1.0
    /// to 1.2. At most 1,000.
    package let quality: Double
    /// True if the recording has the opposite sign.
    package let isInverted: Bool
    /// Frames a second.
    package let rate: Double

    /// Maximum number of frames of both sounds together, 87 s at 48 kHz: their transforms take about 250 MB.
    private static let most = 1 << 22

    /// Searches for a sound in a recording that began with it, or before.
    ///
    /// - Parameters:
    ///   - played: samples that were played, −1...1.
    ///   - recorded: samples at the same rate.
    ///   - before: frames of the recording before the sound was played.
    ///   - rate: frames per second.
    ///   - leastQuality: minimum quality to count as found.
    /// - Returns: `nil` if the sound was not found, or could not be searched for: it is silent, shorter than 16 samples or not
    ///   finite, or both have more than 2²² samples.
    package init?(
        played: [Float], recorded: [Float], before: Double = 0, rate: Double, leastQuality: Double = 1.5
    ) {
        guard SoundSpectrum.isSound(played, rate), SoundSpectrum.isSound(recorded, rate) else { return nil }
        guard played.count + recorded.count <= Self.most else { return nil }
        let (source, sound) = (played.map(Double.init).withoutMean, recorded.map(Double.init).withoutMean)
        // The rounding of a mean is not a sound, though it would correlate with that of another one.
        guard Self.isAudible(source), Self.isAudible(sound) else { return nil }
        let spectrum = CrossSpectrum(sound, source)
        let sums = spectrum.correlation(recorded.count)
        guard let lag = sums.indices.max(by: { abs(sums[$0]) < abs(sums[$1]) }), sums[lag] != 0 else { return nil }
        let sign = sums[lag] < 0 ? -1.0 : 1.0
        let top = spectrum.top(near: lag, sign: sign)
        guard let next = Self.highest(sums, besides: lag, reach: max(Int(rate / 2000), 4)) else { return nil }
        quality = min(top.height / max(next, top.height / 1000), 1000)
        guard quality >= leastQuality else { return nil }
        frames = max(top.lag, 0) - before
        isInverted = sign < 0
        self.rate = rate
    }

    private static func isAudible(_ samples: [Double]) -> Bool {
        samples.reduce(0) { $0 + $1 * $1 } > 1e-18 * Double(samples.count)
    }

    /// Largest magnitude outside a neighbourhood; `nil` if nothing is outside.
    private static func highest(_ sums: [Double], besides lag: Int, reach: Int) -> Double? {
        let before = sums[..<max(lag - reach, 0)].lazy.map(abs).max()
        let after = sums[min(lag + reach + 1, sums.count)...].lazy.map(abs).max()
        return [before, after].compactMap { $0 }.max()
    }

    /// Milliseconds.
    package var milliseconds: Double { 1000 * frames / rate }

    /// Measures of several runs, without limits: `round_trip_median` (ms) and `round_trip_frames` (of the same run),
    /// `round_trip_spread` (ms from the shortest to the longest), `round_trip_quality` (of the worst run) and
    /// `round_trip_missed` (runs in which the sound was not found).
    ///
    /// - Parameter runs: `nil` for a run in which it was not found.
    package static func measures(of runs: [LoopDelay?]) -> [Measure] {
        let found = runs.compactMap { $0 }.sorted { $0.milliseconds < $1.milliseconds }
        let median = found.isEmpty ? nil : found[(found.count - 1) / 2]
        let spread = found.isEmpty ? nil : found[found.count - 1].milliseconds - found[0].milliseconds
        return [
            Measure("round_trip_median", median?.milliseconds, "ms", .lower),
            Measure("round_trip_frames", median?.frames, "frames", .lower),
            Measure("round_trip_spread", spread, "ms", .lower),
            Measure("round_trip_quality", found.map(\.quality).min(), "", .higher),
            Measure("round_trip_missed", runs.isEmpty ? nil : Double(runs.count - found.count), "runs", .lower),
        ]
    }
}

/// Spectrum of one sound times the conjugate of another one's: the transform of their correlation.
private struct CrossSpectrum {
    private let real: [Double]
    private let imaginary: [Double]
    private let transform: FourierTransform

    /// Transforms both sounds at once, as the two parts of complex numbers: the spectrum of the real part has an even real and an
    /// odd imaginary part, and that of the other one the opposite, so they can be separated.
    init(_ one: [Double], _ other: [Double]) {
        let transform = FourierTransform(least: one.count + other.count)
        let count = transform.count
        var real = one + [Double](repeating: 0, count: count - one.count)
        var imaginary = other + [Double](repeating: 0, count: count - other.count)
        transform.transform(&real, &imaginary)
        var (products, quadratures) = ([Double](repeating: 0, count: count), [Double](repeating: 0, count: count))
        for bin in 0..<count {
            let mirror = (count - bin) & (count - 1)
            let first = (real[bin] + real[mirror], imaginary[bin] - imaginary[mirror])
            let second = (imaginary[bin] + imaginary[mirror], real[mirror] - real[bin])
            products[bin] = (first.0 * second.0 + first.1 * second.1) / 4
            quadratures[bin] = (first.1 * second.0 - first.0 * second.1) / 4
        }
        self.real = products
        self.imaginary = quadratures
        self.transform = transform
    }

    /// Correlation at the first whole lags, times the number of values.
    func correlation(_ lags: Int) -> [Double] {
        var (real, imaginary) = (real, imaginary)
        transform.transform(&imaginary, &real)
        return Array(real.prefix(lags))
    }

    /// Correlation at any lag, times the number of values.
    private func correlation(at lag: Double) -> Double {
        var phasor = Phasor(angle: 0, step: 2 * .pi * lag / Double(transform.count))
        let top = transform.count / 2
        // The bins above are the mirrored ones below, but for the first and the middle one, which have no twin.
        var sum = -real[0]
        for bin in 0..<top {
            sum += 2 * (real[bin] * phasor.cosine - imaginary[bin] * phasor.sine)
            phasor.advance()
        }
        return sum + real[top] * phasor.cosine
    }

    /// The maximum between the lags beside one, by a parabola through three of quarter steps.
    ///
    /// Whole steps are too wide for it: the peak of white noise is no parabola there, and its top would come out a tenth of a
    /// sample beside.
    func top(near lag: Int, sign: Double) -> (lag: Double, height: Double) {
        let lags = (-4...4).map { Double(lag) + Double($0) / 4 }
        let heights = lags.map { sign * correlation(at: $0) }
        let best = (1...7).max { heights[$0] < heights[$1] } ?? 4
        let top = Parabola(heights[best - 1], heights[best], heights[best + 1])
        return (lags[best] + top.shift / 4, top.height)
    }
}
