/// Points of a plot. *thread-safe*
public struct Series: Hashable, Sendable, Codable {
    /// Type of the plot.
    public enum Kind: String, Hashable, Sendable, Codable {
        /// Points joined by a line.
        case line
        /// Each point a bar: x is its left edge, all are as wide as the first two are apart.
        case histogram
        /// A line over a logarithmic x.
        case spectrum
        /// Only points.
        case dots
    }

    public var name: String
    public var kind: Kind
    /// Name and unit of an axis: `time (s)`.
    public var x: String
    public var y: String
    public var points: [Point]
    /// Values of y at which a limit is drawn.
    public var limits: [Double]

    public struct Point: Hashable, Sendable, Codable {
        public var x: Double
        public var y: Double

        public init(_ x: Double, _ y: Double) {
            self.x = x
            self.y = y
        }
    }

    public init(_ name: String, _ kind: Kind, x: String, y: String, _ points: [Point], limits: [Double] = []) {
        self.name = name
        self.kind = kind
        self.x = x
        self.y = y
        self.points = points
        self.limits = limits
    }
}

extension Series {
    /// Most points of a plot: more than a page has pixels across.
    package static let mostPoints = 2_000

    /// Line through points, reduced to the number of points that can be seen.
    ///
    /// The lowest and the highest point of each part of the line remain, so that one late frame in a million is still visible.
    ///
    /// - Parameters:
    ///   - points: in the order in which they are joined.
    ///   - kind: `line` or `dots`.
    package static func thinned(
        _ name: String, _ kind: Kind = .line, x: String, y: String, _ points: [Point]
    ) -> Series {
        Series(name, kind, x: x, y: y, thinned(points))
    }

    private static func thinned(_ points: [Point]) -> [Point] {
        guard points.count > mostPoints else { return points }
        let parts = mostPoints / 2
        return (0..<parts).flatMap { part in
            extremes(of: points[points.count * part / parts..<points.count * (part + 1) / parts])
        }
    }

    private static func extremes(of points: ArraySlice<Point>) -> [Point] {
        guard let low = points.indices.min(by: { points[$0].y < points[$1].y }),
            let high = points.indices.max(by: { points[$0].y < points[$1].y })
        else { return [] }
        return low == high ? [points[low]] : [points[min(low, high)], points[max(low, high)]]
    }

    /// Histogram of numbers, from the lowest to the highest.
    ///
    /// Bars are so wide that the middle 98 % of the values have fifty: a single outlier must not push all others into one bar.
    ///
    /// - Parameters:
    ///   - x: name and unit of the values.
    ///   - y: name of their number.
    ///   - finest: smallest width of a bar, in the values' unit.
    package static func histogram(_ name: String, x: String, y: String, _ values: [Double], finest: Double) -> Series {
        guard let sample = TimingSample(values) else { return Series(name, .histogram, x: x, y: y, []) }
        let range = sample.most - sample.least
        let usual = (sample.percentile(0.99) - sample.percentile(0.01)) / 50
        let width = max(usual, finest, range / Double(mostPoints - 2))
        // Half a bar to the left: numbers that are all the same but for rounding shall not lie on an edge.
        let start = sample.least - width / 2
        var counts = [Int](repeating: 0, count: min(Int(range / width) + 2, mostPoints))
        for value in values { counts[min(Int((value - start) / width), counts.count - 1)] += 1 }
        let points = counts.enumerated().map { Point(start + Double($0.offset) * width, Double($0.element)) }
        return Series(name, .histogram, x: x, y: y, points)
    }
}
