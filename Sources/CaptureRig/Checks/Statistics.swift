/// Sorted values, for figures that a few outliers can't spoil.
///
/// *thread-safe*
package struct Percentile: Sendable {
    private let sorted: [Int64]

    package init(of values: some Sequence<Int64>) { sorted = values.sorted() }

    /// The smallest value that is not below the given percentage of values (the nearest rank); 0 without values.
    package subscript(_ percent: Double) -> Int64 {
        guard !sorted.isEmpty else { return 0 }
        let rank = (percent / 100 * Double(sorted.count)).rounded(.up)
        return sorted[min(max(Int(rank), 1), sorted.count) - 1]
    }
}

/// A straight line through points, by least squares.
///
/// *thread-safe*
package struct LinearFit: Sendable {
    /// Change of y per x; 0 if all points have the same x.
    package let slope: Double

    /// - Parameter points: at least two. They are taken relative to the first one: sums of squares of times since the boot
    ///   would leave few digits for the result.
    package init(_ points: [(x: Double, y: Double)]) {
        guard let origin = points.first else {
            slope = 0
            return
        }
        var (sumX, sumY, sumXX, sumXY) = (0.0, 0.0, 0.0, 0.0)
        for point in points {
            let (x, y) = (point.x - origin.x, point.y - origin.y)
            sumX += x
            sumY += y
            sumXX += x * x
            sumXY += x * y
        }
        let count = Double(points.count)
        let spread = count * sumXX - sumX * sumX
        slope = spread == 0 ? 0 : (count * sumXY - sumX * sumY) / spread
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
