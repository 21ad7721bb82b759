import LinuxSystem

/// Axis of a plot: its range of numbers, their positions, and the ticks, which are round numbers.
///
/// *thread-safe*
struct PlotAxis: Sendable {
    /// Numbers at both ends; the second is the greater one.
    let least: Double
    let most: Double
    /// Round numbers on the axis, rising.
    let ticks: [Double]
    private let isLogarithmic: Bool
    /// Decimals of a tick's text.
    private let decimals: Int

    /// An axis on which equal distances are equal differences.
    ///
    /// - Parameters:
    ///   - values: what it must span; finite, and no greater than ``mostValue``.
    ///   - count: about how many ticks it has.
    ///   - endsOnTicks: it is made longer until it does.
    init(linear values: ClosedRange<Double>, ticks count: Int, endsOnTicks: Bool = false) {
        let (low, high) = Self.widened(values)
        let step = Self.step((high - low) / Double(count))
        (least, most) =
            endsOnTicks ? ((low / step).rounded(.down) * step, (high / step).rounded(.up) * step) : (low, high)
        ticks = Self.multiples(of: step, from: least, to: most)
        decimals = max(0, -FigureText.magnitude(step))
        isLogarithmic = false
    }

    /// An axis on which equal distances are equal ratios; its ticks are powers of ten, or 1, 2 and 5 of them in a short
    /// one.
    ///
    /// - Parameter values: what it must span; above 0.
    init(logarithmic values: ClosedRange<Double>) {
        let (low, high) = (values.lowerBound, max(values.upperBound, values.lowerBound * 1.1))
        let decades = Self.logarithm(high) - Self.logarithm(low)
        let steps = decades > 2 ? [1.0] : [1, 2, 5]
        let stride = max(1, Int(decades / 7))
        let exponents = Swift.stride(from: FigureText.magnitude(low), through: FigureText.magnitude(high), by: stride)
        let marks = exponents.flatMap { exponent in steps.map { $0 * FigureText.power(of: exponent) } }
            .filter { (low...high).contains($0) }
        // Between 2.1 and 4.9 there are none.
        ticks = marks.count > 1 ? marks : PlotAxis(linear: low...high, ticks: 4).ticks
        (least, most, decimals, isLogarithmic) = (low, high, 12, true)
    }

    /// Numbers beyond this can't be subtracted from each other safely; nothing that is measured is as large.
    static let mostValue = 1e150

    /// Position of a number: 0 for the minimum, 1 for the maximum.
    func position(_ value: Double) -> Double {
        isLogarithmic
            ? (Self.logarithm(value) - Self.logarithm(least)) / (Self.logarithm(most) - Self.logarithm(least))
            : (value - least) / (most - least)
    }

    /// Text of a tick: thousands and millions are short, as 20k, where the others on the axis are, too.
    func label(_ tick: Double) -> String {
        let size = isLogarithmic ? tick : max(least.magnitude, most.magnitude)
        if size >= 1e13 || decimals > 12 || (isLogarithmic && size < 1e-3) { return FigureText.of(tick, digits: 2) }
        if size >= 1e6 { return FigureText.fixed(tick / 1e6, decimals: decimals + 6) + (tick == 0 ? "" : "M") }
        if size >= 1e4 || (isLogarithmic && size >= 1e3) {
            return FigureText.fixed(tick / 1e3, decimals: decimals + 3) + (tick == 0 ? "" : "k")
        }
        return FigureText.fixed(tick, decimals: decimals)
    }

    // Equal numbers, or numbers so near to each other that their texts are equal, get an axis around them: otherwise nanoseconds
    // of rounding would fill the plot of a perfect clock.
    private static func widened(_ values: ClosedRange<Double>) -> (Double, Double) {
        let (low, high) = (values.lowerBound, values.upperBound)
        let size = max(low.magnitude, high.magnitude)
        guard high - low <= size * 1e-6 else { return (low, high) }
        let extra = size > 1e-300 ? size * 0.05 : 1
        return (low - extra, high + extra)
    }

    // The least of 1, 2, 5 and 10 times a power of ten that is not below the raw step.
    private static func step(_ raw: Double) -> Double {
        let power = FigureText.power(of: FigureText.magnitude(raw))
        return power * ([1, 2, 5].first { raw <= $0 * power * 1.000001 } ?? 10)
    }

    // By index, not by adding: sums of 0.1 are no multiples of it.
    private static func multiples(of step: Double, from least: Double, to most: Double) -> [Double] {
        let first = (least / step - 1e-6).rounded(.up)
        let count = ((most / step + 1e-6).rounded(.down) - first).clamped(to: 0...20)
        return (0...Int(count)).map { (first + Double($0)) * step }
    }

    /// Logarithm to the base ten of a number above 0; the least one for all others.
    static func logarithm(_ value: Double) -> Double { value.isNormal && value > 0 ? decimalLogarithm(value) : -308 }
}
