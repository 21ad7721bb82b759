import Glibc

/// The coefficients that tell what a sound is between its samples: a sinc under a Kaiser window, for a grid of places.
///
/// At a whole place they are 0 but for a single 1, so that nothing is changed there.
struct SincTable {
    /// Samples before the place, and after it.
    static let half = 40
    static let taps = 2 * half
    /// Places between two samples; between these the coefficients are interpolated, which errs by less than -128 dB.
    static let places = 2048
    /// Side lobes of -125 dB; flat to 0.9 of half the sample rate.
    private static let beta = 12.8

    /// One row for each place, and one more for the next sample.
    private(set) var rows: [Double]

    init() {
        rows = [Double](repeating: 0, count: (Self.places + 1) * Self.taps)
        for place in 0...Self.places { fill(place) }
    }

    private mutating func fill(_ place: Int) {
        let fraction = Double(place) / Double(Self.places)
        let row = place * Self.taps
        var sum = 0.0
        for tap in 0..<Self.taps {
            let value = Self.coefficient(Double(tap - Self.half + 1) - fraction)
            rows[row + tap] = value
            sum += value
        }
        for tap in 0..<Self.taps { rows[row + tap] /= sum }
    }

    private static func coefficient(_ distance: Double) -> Double {
        if distance == 0 { return 1 }
        if distance == distance.rounded() { return 0 }
        let edge = distance / Double(half)
        guard abs(edge) < 1 else { return 0 }
        return sin(Double.pi * distance) / (Double.pi * distance) * bessel(beta * (1 - edge * edge).squareRoot())
            / bessel(beta)
    }

    /// The modified Bessel function of the first kind and order 0, by its power series.
    private static func bessel(_ x: Double) -> Double {
        var (sum, term, order) = (1.0, 1.0, 1.0)
        while term > sum * 1e-17 {
            term *= x * x / (4 * order * order)
            sum += term
            order += 1
        }
        return sum
    }
}
