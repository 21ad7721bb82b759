import LinuxSystem

/// Ratios and levels in decibels.
package enum Decibel {
    /// Level of digital silence, which has no logarithm: below the resolution of 32 bits. A limit can then be failed, or passed.
    package static let silence = -200.0

    /// Ten times the logarithm of a ratio of powers, from −200 to 200; NaN if the ratio is invalid.
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

    /// - Parameter least: minimum number of values; the count is the next power of two.
    init(least: Int) {
        var count = 2
        while count < least { count *= 2 }
        let turn = 2 * Double.pi / Double(count)
        self.count = count
        cosines = (0..<count / 2).map { Phasor.cosine(turn * Double($0)) }
        sines = (0..<count / 2).map { sine(turn * Double($0)) }
    }

    /// Transforms ``count`` complex numbers or half of that: X[k] = Σ x[n]·e^(−2πikn/count).
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

/// The top of a parabola through three heights at equal distances, of which the middle one is the highest.
struct Parabola {
    /// Distance of the top from the middle, in steps; 0 if none exists.
    let shift: Double
    let height: Double

    init(_ before: Double, _ here: Double, _ after: Double) {
        let bend = before - 2 * here + after
        shift = bend < 0 ? min(max((before - after) / (2 * bend), -1), 1) : 0
        height = here - (before - after) * shift / 4
    }
}

extension [Double] {
    /// The values without their mean, which correlates with anything.
    var withoutMean: [Double] {
        let mean = reduce(0, +) / Double(count)
        return map { $0 - mean }
    }
}

extension Double {
    func clamped(to limits: ClosedRange<Double>) -> Double {
        Swift.min(Swift.max(self, limits.lowerBound), limits.upperBound)
    }
}
