import LinuxSystem

/// Ratios and levels in decibels.
package enum Decibel {
    /// Level of digital silence, which has no logarithm: below what 32 bits can tell. A limit can then be failed, or passed.
    package static let silence = -200.0

    /// Ten times the logarithm of a ratio of powers, from −200 to 200; not a number where the ratio is none.
    package static func power(_ ratio: Double) -> Double {
        guard !ratio.isNaN else { return ratio }
        return ratio <= 0 ? silence : min(max(10 * decimalLogarithm(ratio), silence), -silence)
    }

    /// Twenty times the logarithm of a ratio of amplitudes.
    package static func amplitude(_ ratio: Double) -> Double { power(ratio * ratio) }

    /// Level in dBFS as of AES17 (3.12.3): the RMS value relative to that of a sine whose peaks are full scale, which has 0.
    ///
    /// - Parameter meanSquare: of samples in −1...1.
    package static func fullScale(meanSquare: Double) -> Double { power(2 * meanSquare) }
}

/// A point that turns on the unit circle, for sines at equal steps without a call for each.
struct Phasor {
    private(set) var cosine: Double
    private(set) var sine: Double
    private let stepCosine: Double
    private let stepSine: Double

    /// - Parameters:
    ///   - angle: radians at the start.
    ///   - step: radians to add each time. The error grows by about 1e-16 a step, so that 2²⁰ of them have nine digits.
    init(angle: Double, step: Double) {
        cosine = Phasor.cosine(angle)
        sine = LinuxSystem.sine(angle)
        stepCosine = Phasor.cosine(step)
        stepSine = LinuxSystem.sine(step)
    }

    mutating func advance() {
        (cosine, sine) = (cosine * stepCosine - sine * stepSine, sine * stepCosine + cosine * stepSine)
    }

    static func cosine(_ angle: Double) -> Double { LinuxSystem.sine(angle + .pi / 2) }
}

/// Discrete Fourier transform of a power of two, in place, by Cooley's and Tukey's algorithm of radix 2.
struct FourierTransform: Sendable {
    /// Values a transform.
    let count: Int
    /// Cosines and sines of k/count of a turn, for the first half of one. Each has its own call: a recurrence would put an
    /// error into all bins.
    private let cosines: [Double]
    private let sines: [Double]

    /// - Parameter least: fewest values; the count is the next power of two.
    init(least: Int) {
        var count = 2
        while count < least { count *= 2 }
        let turn = 2 * Double.pi / Double(count)
        self.count = count
        cosines = (0..<count / 2).map { Phasor.cosine(turn * Double($0)) }
        sines = (0..<count / 2).map { sine(turn * Double($0)) }
    }

    /// Transforms complex numbers, as many as ``count`` or its half: X[k] = Σ x[n]·e^(−2πikn/count).
    ///
    /// With real and imaginary parts exchanged this is the inverse transform, without its division.
    func transform(_ real: inout [Double], _ imaginary: inout [Double]) {
        let count = real.count
        precondition(imaginary.count == count && (count == self.count || count == self.count / 2))
        real.withUnsafeMutableBufferPointer { real in
            imaginary.withUnsafeMutableBufferPointer { imaginary in
                Self.reorder(real, imaginary)
                var half = 1
                while half < count {
                    combine(real, imaginary, half: half)
                    half *= 2
                }
            }
        }
    }

    /// Moves each value to the index with its bits in reverse order.
    private static func reorder(_ real: UnsafeMutableBufferPointer<Double>, _ other: UnsafeMutableBufferPointer<Double>)
    {
        let top = real.count / 2
        var reversed = 0
        for index in 0..<real.count {
            if index < reversed {
                real.swapAt(index, reversed)
                other.swapAt(index, reversed)
            }
            // Adds one from the other end.
            var bit = top
            while bit > 0, reversed & bit != 0 {
                reversed ^= bit
                bit /= 2
            }
            reversed |= bit
        }
    }

    /// Makes transforms of `2 * half` values from pairs of transforms of `half`. Pointers, as this loop is all the cost of a
    /// transform and would be fifty times as slow with arrays in a debug build.
    private func combine(
        _ real: UnsafeMutableBufferPointer<Double>, _ imaginary: UnsafeMutableBufferPointer<Double>, half: Int
    ) {
        let step = count / (2 * half)
        cosines.withUnsafeBufferPointer { cosines in
            sines.withUnsafeBufferPointer { sines in
                var low = 0
                while low < real.count {
                    for index in 0..<half {
                        let (cosine, sine) = (cosines[index * step], sines[index * step])
                        let (one, other) = (low + index, low + index + half)
                        let turnedReal = real[other] * cosine + imaginary[other] * sine
                        let turnedImaginary = imaginary[other] * cosine - real[other] * sine
                        real[other] = real[one] - turnedReal
                        imaginary[other] = imaginary[one] - turnedImaginary
                        real[one] += turnedReal
                        imaginary[one] += turnedImaginary
                    }
                    low += 2 * half
                }
            }
        }
    }

    /// Squared magnitudes of the transform of real samples, for the bins from 0 to `count / 2`.
    ///
    /// Even and odd samples are the parts of half as many complex numbers: half the work.
    ///
    /// - Parameter samples: up to ``count``; zeros are added.
    func squares(of samples: [Double]) -> [Double] {
        let half = count / 2
        let padded = samples.prefix(count) + [Double](repeating: 0, count: max(count - samples.count, 0))
        var real = (0..<half).map { padded[2 * $0] }
        var imaginary = (0..<half).map { padded[2 * $0 + 1] }
        transform(&real, &imaginary)
        return (0...half).map { bin in
            let (index, mirror) = (bin % half, (half - bin) % half)
            let even = (real[index] + real[mirror], imaginary[index] - imaginary[mirror])
            let odd = (imaginary[index] + imaginary[mirror], real[mirror] - real[index])
            let (cosine, sine) = bin < half ? (cosines[bin], sines[bin]) : (-1, 0)
            let whole = (even.0 + odd.0 * cosine + odd.1 * sine, even.1 + odd.1 * cosine - odd.0 * sine)
            return (whole.0 * whole.0 + whole.1 * whole.1) / 4
        }
    }
}

/// Mean power of a sound by frequency.
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

    /// Transforms a sound, in parts that overlap by half if it is long, of which the powers are averaged.
    ///
    /// - Parameters:
    ///   - samples: −1...1, at least 16.
    ///   - rate: samples a second.
    ///   - longest: most samples a part.
    /// - Returns: `nil` for fewer samples, for one that is not finite, and for rates that no sound has.
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
    ///   - excluded: Hz where no peak counts, such as those of a tone.
    /// - Returns: `nil` where the band has no maximum, as in digital silence.
    package func peak(in band: ClosedRange<Double>, except excluded: ClosedRange<Double>? = nil) -> Peak? {
        let without = excluded.map { bins($0) } ?? 0..<0
        let inner = bins(band).clamped(to: 1..<power.count - 1)
        let maxima = inner.lazy.filter { bin in
            !without.contains(bin) && power[bin] > power[bin - 1] && power[bin] >= power[bin + 1]
        }
        guard let bin = maxima.max(by: { power[$0] < power[$1] }) else { return nil }
        let (before, here, after) = (level(bin - 1), level(bin), level(bin + 1))
        let bend = before - 2 * here + after
        let shift = bend < 0 ? (before - after) / (2 * bend) : 0
        return Peak(
            frequency: (Double(bin) + shift) * binWidth,
            level: min(here - (before - after) * shift / 4, -Decibel.silence))
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

extension Double {
    fileprivate func clamped(to limits: ClosedRange<Double>) -> Double {
        Swift.min(Swift.max(self, limits.lowerBound), limits.upperBound)
    }
}
