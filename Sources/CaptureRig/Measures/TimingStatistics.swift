/// Numbers of one kind, such as the intervals of a capture, and what describes them.
///
/// *thread-safe*
package struct TimingSample: Sendable {
    /// Arithmetic mean.
    package let mean: Double
    /// Mean square of the distances from the mean: divided by the number of values, as Android's camera tests do.
    package let variance: Double
    private let sorted: [Double]

    /// Makes a sample; `nil` without values.
    ///
    /// - Parameter values: finite numbers, in any order.
    package init?(_ values: [Double]) {
        guard let first = values.first else { return nil }
        sorted = values.sorted()
        mean = Self.mean(of: values, about: first)
        variance = Self.squares(of: values, about: mean) / Double(values.count)
    }

    package var count: Int { sorted.count }
    package var least: Double { sorted[0] }
    package var most: Double { sorted[sorted.count - 1] }
    /// Square root of ``variance``.
    package var deviation: Double { variance.squareRoot() }

    /// Standard deviation of what the values were taken from, of which they are a few; `nil` for one value.
    package var estimatedDeviation: Double? {
        count > 1 ? (variance * Double(count) / Double(count - 1)).squareRoot() : nil
    }

    /// The value in the middle, or the mean of the two.
    package var median: Double {
        let middle = sorted.count / 2
        return sorted.count.isMultiple(of: 2) ? sorted[middle - 1] / 2 + sorted[middle] / 2 : sorted[middle]
    }

    /// The smallest value that is not below the given share of values (the nearest rank).
    ///
    /// - Parameter share: 0 to 1.
    package func percentile(_ share: Double) -> Double { sorted.nearestRank(share) ?? most }

    /// Mean of numbers, in two passes: the second adds what the first lost to rounding, which for hours of timestamps is more
    /// than the differences that are looked for.
    static func mean(of values: [Double], about origin: Double) -> Double {
        let count = Double(max(values.count, 1))
        let rough = origin + values.reduce(0) { $0 + ($1 - origin) } / count
        return rough + values.reduce(0) { $0 + ($1 - rough) } / count
    }

    private static func squares(of values: [Double], about mean: Double) -> Double {
        values.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    }
}

/// Straight lines of one common slope through stretches of points, by least squares.
///
/// The count of a clock between two stretches is unknown, as after an overrun whose length is only estimated from the time. So
/// each stretch has its own height, and only the points within stretches determine the slope. All sums are taken about each
/// stretch's own means. *thread-safe*
package struct SlopeFit: Sendable {
    /// Change of y per x.
    package let slope: Double
    /// Distance of each point from the line of its stretch, over x.
    package let residuals: [Series.Point]
    /// Root of the mean square of the distances.
    package let deviation: Double
    /// Distance to both sides of ``slope`` within which the true one lies in 95 % of all cases, as far as the points show; `nil`
    /// for too few of them.
    ///
    /// Errors of timestamps come in bursts and wander, so that a thousand of them contain less information than a thousand
    /// independent ones. Therefore the standard error is that of at most 64 means of neighbours, multiplied by √((1+r)/(1−r)),
    /// where r is the correlation of a mean's distance with the next one's (a first order autoregressive process), and at least 0.
    /// Student's quantile is that for the number of independent means.
    package let uncertainty: Double?

    /// Fits; `nil` if no stretch has two points of different x.
    ///
    /// - Parameter stretches: points in the order of their x; stretches of a single point say nothing.
    package init?(_ stretches: [[Series.Point]]) {
        let centred = stretches.filter { $0.count > 1 }.map(Self.centred)
        let points = centred.flatMap { $0 }
        let xx = points.reduce(0) { $0 + $1.x * $1.x }
        guard xx > 0 else { return nil }
        let slope = points.reduce(0) { $0 + $1.x * $1.y } / xx
        let distances = points.map { $0.y - slope * $0.x }
        self.slope = slope
        deviation = (distances.reduce(0) { $0 + $1 * $1 } / Double(points.count)).squareRoot()
        residuals = zip(stretches.filter { $0.count > 1 }.joined(), distances).map { Series.Point($0.x, $1) }
        uncertainty = Self.uncertainty(of: distances, xx, stretches: centred.count)
    }

    private static func centred(_ points: [Series.Point]) -> [Series.Point] {
        guard let first = points.first else { return [] }
        let x = TimingSample.mean(of: points.map(\.x), about: first.x)
        let y = TimingSample.mean(of: points.map(\.y), about: first.y)
        return points.map { Series.Point($0.x - x, $0.y - y) }
    }

    private static func uncertainty(of distances: [Double], _ xx: Double, stretches: Int) -> Double? {
        // Distances of one stretch add up to zero. Means over a whole stretch would hide all noise: eight of each at least.
        let size = max(1, distances.count / max(64, 8 * stretches))
        let means = stride(from: 0, to: distances.count, by: size).map { start in
            let part = distances[start..<min(start + size, distances.count)]
            return part.reduce(0, +) / Double(part.count)
        }
        let free = Double(distances.count - stretches - 1)
        let correlation = neighbourCorrelation(means)
        let freedom = Double(means.count) * min(1, free / Double(distances.count)) / inflation(correlation) - 2
        guard free > 0, freedom >= 3 else { return nil }
        let square = means.reduce(0) { $0 + $1 * $1 } / Double(means.count) * Double(distances.count) / free
        return quantile(freedom) * (square * inflation(correlation) * Double(size) / xx).squareRoot()
    }

    /// Factor of the variance of a mean: by how much fewer independent values there are.
    private static func inflation(_ correlation: Double) -> Double { (1 + correlation) / (1 - correlation) }

    /// Correlation of each value with the next one, 0 to 0.9: more can't be determined from so few values.
    private static func neighbourCorrelation(_ values: [Double]) -> Double {
        let all = values.reduce(0) { $0 + $1 * $1 }
        guard all > 0 else { return 0 }
        return min(max(zip(values, values.dropFirst()).reduce(0) { $0 + $1.0 * $1.1 } / all, 0), 0.9)
    }

    /// Two-sided 95 % quantile of Student's distribution: Fisher's expansion, which is right to 1 % from 3 degrees on.
    private static func quantile(_ freedom: Double) -> Double {
        1.95996 + (2.37227 + (2.8225 + 2.5558 / freedom) / freedom) / freedom
    }
}

extension Int64 {
    /// Difference of two timestamps; a device may report any two, also such whose difference no Int64 holds.
    func elapsed(since earlier: Int64) -> Double {
        let (difference, isTooLarge) = subtractingReportingOverflow(earlier)
        return isTooLarge ? Double(self) - Double(earlier) : Double(difference)
    }
}

/// Sorted values, for figures that a few outliers can't spoil.
///
/// *thread-safe*
package struct Percentile: Sendable {
    private let sorted: [Int64]

    package init(of values: some Sequence<Int64>) { sorted = values.sorted() }

    /// The smallest value that is not below the given percentage of values (the nearest rank); 0 without values.
    package subscript(_ percent: Double) -> Int64 {
        sorted.nearestRank(percent / 100) ?? 0
    }
}

extension Array where Element: Comparable {
    /// The smallest of sorted values that is not below the given share of them; `nil` without values.
    ///
    /// - Parameter share: 0 to 1.
    func nearestRank(_ share: Double) -> Element? {
        let rank = (share * Double(count)).rounded(.up)
        return isEmpty ? nil : self[Int(Swift.min(Swift.max(rank, 1), Double(count))) - 1]
    }
}

/// Time ranges; overlapping parts count once.
///
/// *thread-safe*
package struct TimeSpans: Sendable {
    private let spans: [Range<Int64>]

    /// - Parameter spans: nanoseconds of one clock, in any order.
    package init(_ spans: [Range<Int64>]) {
        self.spans = spans.sorted { $0.lowerBound < $1.lowerBound }.reduce(into: []) { merged, span in
            if let last = merged.last, span.lowerBound <= last.upperBound {
                merged[merged.count - 1] = last.lowerBound..<max(last.upperBound, span.upperBound)
            } else {
                merged.append(span)
            }
        }
    }

    /// Nanoseconds of a range that lie in the spans.
    package func overlap(with range: Range<Int64>) -> Int64 {
        spans.reduce(0) { $0 + Int64($1.clamped(to: range).count) }
    }
}
