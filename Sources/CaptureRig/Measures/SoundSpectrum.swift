import LinuxSystem

/// Mean power of audio by frequency.
///
/// The window is that of Blackman and Harris with four terms (F. J. Harris, "On the use of windows for harmonic analysis
/// with the discrete Fourier transform", Proceedings of the IEEE 66(1), 1978): side lobes of −92 dB, so that a strong tone
/// hides nothing but its next neighbours. *thread-safe*
package struct SoundSpectrum: Sendable {
    /// Power of the bins from 0 Hz to half the rate: that of a sine in the middle of a bin is its mean square.
    package let power: [Double]
    /// Hz from one bin to the next.
    package let binWidth: Double
    /// Hz on either side of a sine over which the window spreads it.
    package let leakage: Double
    /// Samples a second.
    package let rate: Double

    /// Transforms audio, in parts that overlap by half if it is long, whose powers are averaged.
    ///
    /// - Parameters:
    ///   - samples: −1...1, at least 16.
    ///   - rate: samples per second.
    ///   - longest: maximum samples per part.
    /// - Returns: `nil` for fewer samples, for one that is not finite, and for impossible rates.
    package init?(_ samples: [Float], rate: Double, longest: Int = 1 << 16) {
        guard Self.isSound(samples, rate) else { return nil }
        self.init(of: samples.map(Double.init), rate: rate, longest: longest)
    }

    init(of samples: [Double], rate: Double, longest: Int) {
        let length = min(max(longest, 16), samples.count)
        let window = Self.window(length)
        let transform = FourierTransform(least: length)
        var sums = [Double](repeating: 0, count: transform.count / 2 + 1)
        let starts = Array(stride(from: 0, through: samples.count - length, by: max(length / 2, 1)))
        for start in starts {
            let squares = transform.squares(of: zip(samples[start..<start + length], window).map { $0 * $1 })
            for bin in sums.indices { sums[bin] += squares[bin] }
        }
        let gain = window.reduce(0, +)
        power = sums.map { 2 * $0 / (gain * gain * Double(starts.count)) }
        binWidth = rate / Double(transform.count)
        leakage = 4 * rate / Double(length)
        self.rate = rate
    }

    private static func window(_ length: Int) -> [Double] {
        var phasor = Phasor(angle: 0, step: 2 * .pi / Double(length))
        return (0..<length).map { _ in
            let cosine = phasor.cosine
            phasor.advance()
            // The cosines of twice and three times the angle are Chebyshev's polynomials.
            let (double, triple) = (2 * cosine * cosine - 1, 4 * cosine * cosine * cosine - 3 * cosine)
            return 0.35875 - 0.48829 * cosine + 0.14128 * double - 0.01168 * triple
        }
    }

    /// True for at least 16 finite samples of a rate from 1 kHz to 2 MHz.
    static func isSound(_ samples: [Float], _ rate: Double) -> Bool {
        samples.count >= 16 && 1e3...2e6 ~= rate && samples.allSatisfy(\.isFinite)
    }

    /// Bins of a band, as far as there are any.
    private func bins(_ band: ClosedRange<Double>) -> Range<Int> {
        let limits = 0...Double(power.count)
        let lower = (band.lowerBound / binWidth).rounded(.up).clamped(to: limits)
        let upper = (band.upperBound / binWidth).rounded(.down).clamped(to: 0...Double(power.count - 1))
        return Int(lower)..<max(Int(lower), Int(upper) + 1)
    }

    /// Share of the power that lies in a band, 0...1; 0 for silence.
    package func share(of band: ClosedRange<Double>) -> Double {
        let all = power.reduce(0, +)
        return all > 0 ? power[bins(band)].reduce(0, +) / all : 0
    }

    /// A maximum of the spectrum.
    package struct Peak: Hashable, Sendable {
        /// Hz, interpolated between bins.
        package let frequency: Double
        /// Level of a sine of that power, interpolated, in dBFS.
        package let level: Double
    }

    /// The strongest maximum of a band, by a parabola through the levels of three bins: for a single sine within 1 % of a bin
    /// and 0.1 dB.
    ///
    /// - Parameters:
    ///   - band: Hz.
    ///   - excluded: Hz to ignore, such as those of a tone.
    /// - Returns: `nil` if the band has no maximum, as in digital silence.
    package func peak(in band: ClosedRange<Double>, except excluded: ClosedRange<Double>? = nil) -> Peak? {
        let without = excluded.map { bins($0) } ?? 0..<0
        let inner = bins(band).clamped(to: 1..<power.count - 1)
        let maxima = inner.lazy.filter { bin in
            !without.contains(bin) && power[bin] > power[bin - 1] && power[bin] >= power[bin + 1]
        }
        guard let bin = maxima.max(by: { power[$0] < power[$1] }) else { return nil }
        let top = Parabola(level(bin - 1), level(bin), level(bin + 1))
        return Peak(
            frequency: (Double(bin) + top.shift) * binWidth, level: min(top.height, -Decibel.silence))
    }

    /// Level of a bin in dBFS.
    private func level(_ bin: Int) -> Double { Decibel.fullScale(meanSquare: power[bin]) }

    /// Spectrum for a plot, from 10 Hz: the maximum of each of up to 2,000 bands of equal ratios, so that no spur is lost.
    package func series(_ name: String = "spectrum", limits: [Double] = []) -> Series {
        let shown = bins(10...rate / 2)
        guard let first = shown.first else {
            return Series(name, .spectrum, x: "frequency (Hz)", y: "level (dBFS)", [], limits: limits)
        }
        let start = decimalLogarithm(Double(first))
        let scale = 1999 / max(decimalLogarithm(Double(power.count)) - start, 1e-9)
        var (points, band): ([Series.Point], Int) = ([], -1)
        for bin in shown {
            let next = Int((decimalLogarithm(Double(bin)) - start) * scale)
            let point = Series.Point(Double(bin) * binWidth, level(bin))
            if next != band {
                points.append(point)
            } else if let last = points.last, point.y > last.y {
                points[points.count - 1] = point
            }
            band = next
        }
        return Series(name, .spectrum, x: "frequency (Hz)", y: "level (dBFS)", points, limits: limits)
    }
}
