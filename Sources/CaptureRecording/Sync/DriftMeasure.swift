import CaptureEncoding

/// Rate of a device's clock against CLOCK_MONOTONIC, with its uncertainty: the slope of a straight line through all timestamps,
/// by least squares.
///
/// Timestamps are averaged over about a second first, since their errors come in bursts. After a loss the line begins
/// elsewhere with the same slope.
struct DriftMeasure {
    private let nominalRate: Double
    private var second = RegressionSums()
    private var line = RegressionSums()
    /// Moments of the lines before the last break.
    private var earlier = RegressionSums.Moments()
    private var lines = 1
    private var points = 0
    /// Distance of single timestamps from the line of their second: sum of squares, and their number.
    private var jitter = 0.0
    private var jittered = 0
    /// Time from the first timestamp to the last, seconds.
    private var span = 0.0

    /// Seconds that are needed: fewer say nothing.
    private static let fewestPoints = 5
    /// Uncertainty above which no result is given, ppm.
    private static let mostUncertainty = 100.0

    /// - Parameter rate: frames a second, nominal.
    init(rate: Double) {
        nominalRate = rate
    }

    /// Takes in a timestamp.
    /// - Parameters:
    ///   - frame: number of the frame since the start.
    ///   - stamp: seconds since the start.
    mutating func add(frame: Double, stamp: Double) {
        let time = frame / nominalRate
        if second.count > 0, time - second.first >= 1 { closeSecond() }
        second.add(time, stamp - time)
        span = max(span, time)
    }

    /// Begins a new line: frames were lost before the next timestamp.
    mutating func breakLine() {
        closeSecond()
        guard line.count > 0 else { return }
        earlier.add(line.moments)
        lines += 1
        line = RegressionSums()
    }

    /// Drift in parts per million, and its uncertainty; `nil` while it is not sure to 100 ppm.
    ///
    /// The uncertainty is twice the standard error of the slope, plus the slope that would appear if timestamps came later at
    /// the end than at the beginning by twice their jitter: a machine that gets busy does that.
    var result: (ppm: Double, uncertainty: Double)? {
        var moments = earlier
        moments.add(line.moments)
        let freedom = points - (line.count > 0 ? lines : lines - 1) - 1
        guard points >= Self.fewestPoints, freedom >= 2, moments.xx > 0 else { return nil }
        let slope = moments.xy / moments.xx
        let residue = max(0, moments.yy - slope * moments.xy) / Double(freedom)
        let shift = (jitter / Double(max(jittered, 1))).squareRoot() / max(span, 1)
        let uncertainty = 2e6 * ((residue / moments.xx).squareRoot() + shift)
        guard uncertainty <= Self.mostUncertainty else { return nil }
        return ((1 / (1 + slope) - 1) * 1e6, uncertainty)
    }

    private mutating func closeSecond() {
        guard second.count > 0 else { return }
        line.add(second.meanX, second.meanY)
        points += 1
        let moments = second.moments
        if second.count > 2, moments.xx > 0 {
            jitter += max(0, moments.yy - moments.xy * moments.xy / moments.xx)
            jittered += second.count - 2
        }
        second = RegressionSums()
    }
}

/// Running means of two numbers and the moments about them, for a straight line by least squares.
struct RegressionSums {
    struct Moments {
        var xx = 0.0
        var xy = 0.0
        var yy = 0.0

        mutating func add(_ other: Moments) {
            xx += other.xx
            xy += other.xy
            yy += other.yy
        }
    }

    private(set) var count = 0
    private(set) var first = 0.0
    private(set) var meanX = 0.0
    private(set) var meanY = 0.0
    private(set) var moments = Moments()

    mutating func add(_ x: Double, _ y: Double) {
        if count == 0 { first = x }
        count += 1
        let (dx, dy) = (x - meanX, y - meanY)
        meanX += dx / Double(count)
        meanY += dy / Double(count)
        moments.xx += dx * (x - meanX)
        moments.xy += dx * (y - meanY)
        moments.yy += dy * (y - meanY)
    }
}
