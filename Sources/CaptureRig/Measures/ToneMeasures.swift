/// The sine in samples that leaves the least squares of a rest, as in the sine fits of IEEE 1057.
struct SineFit {
    /// Radians a sample.
    private(set) var step: Double
    private var cosine = 0.0
    private var sine = 0.0
    private var offset = 0.0
    private let count: Int

    /// Fits amplitude, phase, an offset, and the frequency if it isn't known.
    ///
    /// The unknowns are nearly independent of each other over many periods, with time counted from the middle. So each pass
    /// corrects them one by one by the remaining error, instead of solving equations, and a few passes reach the exact fit.
    ///
    /// - Parameters:
    ///   - samples: several periods.
    ///   - step: radians a sample; where it is refined, within half a turn over all samples.
    ///   - refines: true to correct the step.
    init(_ samples: [Double], step: Double, refines: Bool) {
        self.step = step
        count = samples.count
        correct(samples, refines: false)
        for _ in 0..<(refines ? 12 : 1) where correct(samples, refines: refines) < 1e-12 { break }
    }

    /// Mean square of the sine.
    var meanSquare: Double { (cosine * cosine + sine * sine) / 2 }

    private var phasor: Phasor { Phasor(angle: -step * Double(count - 1) / 2, step: step) }

    /// One pass.
    ///
    /// - Returns: how far the correction moves the ends of the sine, relative to its amplitude.
    @discardableResult
    private mutating func correct(_ samples: [Double], refines: Bool) -> Double {
        var phasor = phasor
        var (inPhase, inQuadrature, mean, slope) = (0.0, 0.0, 0.0, 0.0)
        var time = -Double(count - 1) / 2
        for sample in samples {
            let rest = sample - cosine * phasor.cosine - sine * phasor.sine - offset
            inPhase += rest * phasor.cosine
            inQuadrature += rest * phasor.sine
            mean += rest
            slope += rest * time * (sine * phasor.cosine - cosine * phasor.sine)
            time += 1
            phasor.advance()
        }
        let (number, power) = (Double(count), meanSquare)
        cosine += 2 * inPhase / number
        sine += 2 * inQuadrature / number
        offset += mean / number
        guard power > 0 else { return 0 }
        // The sum of time² · sin² over all samples is nearly that of time² / 2.
        let turn = refines ? 12 * slope / (power * number * number * number) : 0
        step += turn
        let change = 2 * (inPhase * inPhase + inQuadrature * inQuadrature) / (number * number * power)
        return abs(turn) * number / 2 + change.squareRoot()
    }

    /// Residue of the samples without the sine and the offset.
    func rest(of samples: [Double]) -> [Double] {
        var phasor = phasor
        return samples.map { sample in
            let value = sample - cosine * phasor.cosine - sine * phasor.sine - offset
            phasor.advance()
            return value
        }
    }
}

/// Frequency and purity of the strongest tone of a recording.
///
/// A least-squares fit subtracts the tone from the samples; everything else is the rest. A sum over the spectrum would be less
/// exact: it must omit the bins into which the tone's own window leaks, and with them their noise. The part from 20 Hz to 20 kHz
/// is then computed from the spectrum of the rest, in which nothing strong leaks any more. Unlike with an analyser's notch, slow
/// changes of the tone's frequency or level count as noise. So only the last 2¹⁷ samples are used, since clocks that drift would
/// blur a longer tone. *thread-safe*
package struct ToneMeasures: Sendable {
    /// Hz.
    package let frequency: Double
    /// Level in dBFS; 0 is a sine of full scale.
    package let level: Double
    /// Harmonic distortion and noise: all from 20 Hz to 20 kHz that isn't the tone, in percent of it.
    package let distortionAndNoise: Double
    /// Harmonics from the second to the tenth, in percent of the tone.
    package let distortion: Double
    /// Ratio of the tone to the rest from 20 Hz to 20 kHz without its harmonics, in dB.
    package let signalToNoise: Double
    /// Strongest other peak from 20 Hz to 20 kHz relative to the tone, in dB.
    package let spur: Double
    /// Spectrum with the tone.
    package let spectrum: SoundSpectrum

    /// Most samples that are looked at.
    private static let longest = 1 << 17

    /// Measures the strongest tone from 20 Hz to 20 kHz, or to half the rate.
    ///
    /// - Parameters:
    ///   - samples: −1...1, at least ten periods and 256 samples. A second is better: it has a frequency to 0.001 Hz.
    ///   - rate: samples a second.
    /// - Returns: `nil` without a tone, as in silence, and for samples that are not finite.
    package init?(_ samples: [Float], rate: Double) {
        guard samples.count >= 256, SoundSpectrum.isSound(samples, rate) else { return nil }
        let sound = samples.suffix(Self.longest).map(Double.init)
        let band = 20...min(20_000, rate / 2)
        let spectrum = SoundSpectrum(of: sound.withoutMean, rate: rate, longest: Self.longest)
        guard let peak = spectrum.peak(in: band), peak.level > -150 else { return nil }
        let fit = SineFit(sound, step: 2 * .pi * peak.frequency / rate, refines: true)
        let hertz = fit.step * rate / (2 * .pi)
        guard fit.meanSquare > 0, hertz > 0, hertz < rate / 2, hertz * Double(sound.count) >= 10 * rate else {
            return nil
        }
        let rest = fit.rest(of: sound)
        let remains = SoundSpectrum(of: rest, rate: rate, longest: Self.longest)
        let (noise, harmonics) = Self.withoutHarmonics(rest, step: fit.step)
        let level = Decibel.fullScale(meanSquare: fit.meanSquare)
        frequency = hertz
        self.level = level
        distortionAndNoise = 100 * (Self.power(rest, in: band, remains) / fit.meanSquare).squareRoot()
        distortion = 100 * (harmonics / fit.meanSquare).squareRoot()
        let noiseSpectrum = SoundSpectrum(of: noise, rate: rate, longest: Self.longest)
        signalToNoise = Decibel.power(fit.meanSquare / Self.power(noise, in: band, noiseSpectrum))
        // Close to the tone lies what its own unsteadiness spreads.
        let near = hertz - spectrum.leakage...hertz + spectrum.leakage
        spur = remains.peak(in: band, except: near).map { $0.level - level } ?? Decibel.silence
        self.spectrum = spectrum
    }

    /// Mean square in a band. The sum is that of the samples, as the spectrum's window has little of the first and last ones.
    private static func power(_ samples: [Double], in band: ClosedRange<Double>, _ spectrum: SoundSpectrum) -> Double {
        spectrum.share(of: band) * samples.reduce(0) { $0 + $1 * $1 } / Double(samples.count)
    }

    /// Subtracts the harmonics below 20 kHz.
    ///
    /// - Returns: the rest, and the mean square of the harmonics.
    private static func withoutHarmonics(_ samples: [Double], step: Double) -> (rest: [Double], power: Double) {
        (2...10).reduce(into: (samples, 0.0)) { result, number in
            guard Double(number) * step < .pi else { return }
            let fit = SineFit(result.0, step: Double(number) * step, refines: false)
            result = (fit.rest(of: result.0), result.1 + fit.meanSquare)
        }
    }

    /// Measures of a tone, without limits and without values if none exists: `tone_frequency` (Hz), `tone_frequency_error` (%),
    /// `tone_level` (dBFS), `thd_n` and `thd` (%), `snr` (dB) and `spur_max` (dB relative to the tone).
    ///
    /// A muted channel has no tone. Its check asks ``ChannelLevels`` first, so that a fault of the device is not mistaken for one
    /// of the bench.
    ///
    /// - Parameters:
    ///   - tone: result of the measurement.
    ///   - frequency: expected frequency in Hz, above 0.
    package static func measures(of tone: ToneMeasures?, expected frequency: Double) -> [Measure] {
        let error = tone.map { 100 * abs($0.frequency - frequency) / frequency }
        return [
            Measure("tone_frequency", tone?.frequency, "Hz", .target),
            Measure("tone_frequency_error", error, "%", .lower),
            Measure("tone_level", tone?.level, "dBFS", .target),
            Measure("thd_n", tone?.distortionAndNoise, "%", .lower),
            Measure("thd", tone?.distortion, "%", .lower),
            Measure("snr", tone?.signalToNoise, "dB", .higher),
            Measure("spur_max", tone?.spur, "dB", .lower),
        ]
    }
}
