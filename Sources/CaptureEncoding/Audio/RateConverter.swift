import LinuxSystem

/// Converter of audio from one sample rate to another: a polyphase low-pass filter of finite impulse response.
///
/// The output sample n is the input's value at the time of n, so nothing is shifted: the filter's delay is taken out again by
/// reading ahead, and `pushEnd()` lends the last samples the silence that they need. N input frames become N · L / M output
/// frames, rounded up, where L / M is the ratio of the rates.
///
/// ``Resampler`` is for ratios near 1 that change at any time; it has no low-pass, which going down needs.
package struct RateConverter {
    private let channels: Int
    /// Output rate and input rate, without common factors.
    private let up: Int
    private let down: Int
    private let filter: PolyphaseFilter
    /// Interleaved input from the first frame on that is needed still.
    private var frames: [Double]
    /// Position of the next output frame: the input frame before it, in `frames`, and the rest in units of 1 / `up`.
    private var whole: Int
    private var phase = 0
    /// Number of input frames in `frames`; silence may follow them at the end.
    private var end: Int
    /// Coefficients between two rows of the filter; a member, so that a frame allocates nothing.
    private var row: [Double]

    /// - Parameters:
    ///   - input: rate of the input, Hz.
    ///   - output: rate of the output, Hz.
    ///   - channels: of both.
    package init(from input: Int, to output: Int, channels: Int) {
        let divisor = Self.greatestCommonDivisor(input, output)
        (up, down) = (output / divisor, input / divisor)
        self.channels = channels
        filter = PolyphaseFilter(up: up, down: down)
        frames = [Double](repeating: 0, count: filter.half * channels)
        whole = filter.half
        end = filter.half
        row = [Double](repeating: 0, count: filter.taps)
    }

    /// Output frames that the input so far still lacks.
    package var pending: Int {
        // The next position is after the input's end if downsampling skips more frames than there are.
        max(0, ((end - whole) * up - phase + down - 1) / down)
    }

    /// Takes interleaved samples in.
    package mutating func push(_ samples: UnsafeBufferPointer<Double>) {
        // At once, so that nothing grows during a recording: the remainder from before varies in length.
        if frames.capacity < frames.count + samples.count { frames.reserveCapacity(2 * (frames.count + samples.count)) }
        frames.append(contentsOf: samples)
        end = frames.count / channels
    }

    /// Ends the input: all remaining frames can go out, as if silence followed.
    package mutating func pushEnd() {
        frames.append(contentsOf: repeatElement(0, count: filter.half * channels))
    }

    /// Appends the frames whose neighbours are known.
    package mutating func pull(into output: inout [Double]) {
        let limit = min(frames.count / channels - filter.half, end)
        while whole < limit {
            let first = (whole - filter.half + 1) * channels
            let low = prepareRow()
            for channel in 0..<channels { output.append(sum(from: first + channel, low)) }
            phase += down
            whole += phase / up
            phase %= up
        }
        forget()
    }

    /// Computes the coefficients of the current position.
    /// - Returns: index of the filter's row; `nil` if they are in `row`.
    private mutating func prepareRow() -> Int? {
        if filter.isExact { return phase * filter.taps }
        let scaled = Double(phase) / Double(up) * Double(filter.places)
        let index = min(Int(scaled), filter.places - 1)
        let (share, low, taps) = (scaled - Double(index), index * filter.taps, filter.taps)
        filter.rows.withUnsafeBufferPointer { rows in
            row.withUnsafeMutableBufferPointer { row in
                for tap in 0..<taps {
                    row[tap] = rows[low &+ tap] + share * (rows[low &+ taps &+ tap] - rows[low &+ tap])
                }
            }
        }
        return nil
    }

    private func sum(from first: Int, _ low: Int?) -> Double {
        guard let low else { return sum(from: first, 0, row) }
        return sum(from: first, low, filter.rows)
    }

    private func sum(from first: Int, _ low: Int, _ rows: [Double]) -> Double {
        frames.withUnsafeBufferPointer { frames in
            rows.withUnsafeBufferPointer { rows in
                // Two sums, so that an addition need not wait for the previous one.
                var (even, odd) = (0.0, 0.0)
                var (at, tap) = (first, low)
                let last = low &+ filter.taps
                while tap < last {
                    even += rows[tap] * frames[at]
                    odd += rows[tap &+ 1] * frames[at &+ channels]
                    at &+= 2 &* channels
                    tap &+= 2
                }
                return even + odd
            }
        }
    }

    /// Drops the samples that the next frame does not need.
    private mutating func forget() {
        let gone = min(whole - filter.half + 1, frames.count / channels)
        guard gone > 0 else { return }
        frames.removeFirst(gone * channels)
        whole -= gone
        end -= gone
    }

    private static func greatestCommonDivisor(_ first: Int, _ second: Int) -> Int {
        var (a, b) = (first, second)
        while b != 0 { (a, b) = (b, a % b) }
        return max(a, 1)
    }
}

/// Low-pass filter between two sample rates: a sinc under a Kaiser window, cut into one row of coefficients for each position that
/// an output frame can have between two input frames (Crochiere and Rabiner, Multirate Digital Signal Processing, 4.2).
///
/// It passes 0 to 0.45 of the lower rate, flat to 0.001 dB, and stops from 0.5 of it on by 120 dB: nothing is aliased, and
/// going up leaves no image.
struct PolyphaseFilter {
    /// Input frames before the position, and after it.
    let half: Int
    /// Coefficients of a row; an even number.
    var taps: Int { 2 * half }
    /// Positions between two input frames; there is one row more where those between are interpolated.
    let places: Int
    /// True if each position has a separate row.
    let isExact: Bool
    private(set) var rows: [Double]

    /// Half of the filter's length, in frames of the lower rate: 120 dB over a transition of 0.05 (Kaiser's estimate).
    private static let reach = 80.0
    /// Kaiser's shape for 120 dB.
    private static let window = KaiserWindow(beta: 12.27)
    /// Frequency at which it has fallen to a half, in units of half the lower rate.
    private static let cutoff = 0.95
    /// Rows at most: rates without a large common factor, such as 48000 and 44101 Hz, would need as many rows as Hz.
    private static let mostPlaces = 2048

    /// - Parameters:
    ///   - up: output rate, without common factors.
    ///   - down: input rate, without common factors.
    init(up: Int, down: Int) {
        // Frames of the lower rate for one input frame.
        let scale = min(1, Double(up) / Double(down))
        half = Int((Self.reach / scale).rounded(.up))
        isExact = up <= Self.mostPlaces
        // A filter that is longer in input frames is smoother between them.
        places = isExact ? up : max(16, Int((Double(Self.mostPlaces) * scale).rounded(.up)))
        rows = []
        let count = isExact ? places : places + 1
        rows.reserveCapacity(count * taps)
        for place in 0..<count { append(Double(place) / Double(places), scale) }
    }

    private mutating func append(_ fraction: Double, _ scale: Double) {
        let first = rows.count
        var sum = 0.0
        for tap in 0..<taps {
            let value = Self.coefficient((Double(tap - half + 1) - fraction) * scale)
            rows.append(value)
            sum += value
        }
        // A constant signal is unchanged at each position.
        for index in first..<rows.count { rows[index] /= sum }
    }

    /// - Parameter distance: from the position, in frames of the lower rate.
    private static func coefficient(_ distance: Double) -> Double {
        let angle = Double.pi * cutoff * distance
        let sinc = angle == 0 ? 1 : sine(angle) / angle
        return sinc * window.value(at: distance / reach)
    }
}

/// Kaiser's window: the largest part of a filter's energy in its main lobe, with a parameter that trades its width for side lobes.
struct KaiserWindow {
    private let beta: Double
    private let peak: Double

    /// - Parameter beta: shape; side lobes fall with it.
    init(beta: Double) {
        self.beta = beta
        peak = Self.bessel(beta)
    }

    /// - Parameter place: 0 in the middle, ±1 at the ends.
    func value(at place: Double) -> Double {
        guard abs(place) < 1 else { return 0 }
        return Self.bessel(beta * (1 - place * place).squareRoot()) / peak
    }

    /// Modified Bessel function of the first kind and order 0, by its power series.
    private static func bessel(_ x: Double) -> Double {
        // All terms are positive, so the sum is accurate to its last digit.
        var (sum, term, order) = (1.0, 1.0, 1.0)
        while term > sum * 1e-17 {
            term *= x * x / (4 * order * order)
            sum += term
            order += 1
        }
        return sum
    }
}
