/// Reading of a device's clock at a time. *thread-safe*
package struct ClockPoint: Hashable, Sendable {
    /// CLOCK_MONOTONIC in ns.
    package var time: Int64
    /// The device's own time in seconds, from any origin: frames divided by the nominal rate.
    package var position: Double
    /// True if it is not known how far the device went since the point before.
    package var isAfterBreak: Bool

    package init(time: Int64, position: Double, isAfterBreak: Bool = false) {
        self.time = time
        self.position = position
        self.isAfterBreak = isAfterBreak
    }
}

/// Rate of one device's clock against CLOCK_MONOTONIC. *thread-safe*
package struct ClockRate: Sendable {
    /// Lead of the device's clock, in parts per million; `nil` for fewer than two points.
    package let ppm: Double?
    /// Uncertainty of ``ppm`` at 95 %, as ``SlopeFit`` explains; `nil` if there are too few points.
    package let uncertainty: Double?
    /// Seconds from the first point to the last.
    package let span: Double
    /// Seconds by which the device's clock is ahead, from 0 at the first point.
    fileprivate let ahead: [Series.Point]
    fileprivate let residuals: [Series.Point]

    /// Timestamps are rounded: in ns, and by many drivers in µs.
    private static let resolution = 1e-6
    /// Fewer points may lie on a line by chance.
    private static let fewest = 8

    /// - Parameter points: in the order of their time.
    package init(_ points: [ClockPoint]) {
        var stretches: [[Series.Point]] = []
        for point in points {
            let time = point.time.elapsed(since: points[0].time) / 1e9
            let next = Series.Point(time, point.position - points[0].position - time)
            if stretches.isEmpty || point.isAfterBreak { stretches.append([]) }
            stretches[stretches.count - 1].append(next)
        }
        let (fit, span) = (SlopeFit(stretches), abs(stretches.last?.last?.x ?? 0))
        ppm = fit.map { $0.slope * 1e6 }
        // Rounding causes errors that are the same for a long time, which the spread of the points does not show. If the points
        // are off their line by less than that, only this is uncertain, however similar neighbours are.
        let isExact = fit.map { $0.deviation < Self.resolution && $0.residuals.count >= Self.fewest } ?? false
        let spread = fit?.uncertainty ?? (isExact ? 0 : nil)
        uncertainty = spread.map { ($0 + Self.resolution / span) * 1e6 }
        self.span = span
        ahead = stretches.flatMap { $0 }
        residuals = fit?.residuals ?? []
    }

    /// Clock of a camera. Lost frames are no break: the sequence numbers count them.
    ///
    /// - Parameters:
    ///   - frames: in the order in which they were delivered.
    ///   - rate: nominal frames a second, as a fraction of positive numbers.
    package init(_ frames: [TimedFrame], rate: (numerator: Int, denominator: Int)) {
        self.init(
            Self.points(frames.map { ($0.sequence, $0.timestamp, false) }, rate))
    }

    /// Clock of a microphone. Lost audio is a break, since its length is only estimated from the time.
    ///
    /// - Parameters:
    ///   - periods: in the order in which they were delivered.
    ///   - rate: nominal audio frames a second, as a fraction of positive numbers.
    package init(_ periods: [TimedPeriod], rate: (numerator: Int, denominator: Int)) {
        self.init(Self.points(periods.map { ($0.sequence, $0.timestamp, $0.lostBefore > 0) }, rate))
    }

    /// - Returns: empty for an impossible rate.
    private static func points(
        _ entries: [(sequence: UInt64, time: Int64, isAfterBreak: Bool)], _ rate: (numerator: Int, denominator: Int)
    ) -> [ClockPoint] {
        guard let first = entries.first, rate.numerator > 0, rate.denominator > 0 else { return [] }
        let second = Double(rate.numerator) / Double(rate.denominator)
        return entries.map { entry in
            let isLater = entry.sequence >= first.sequence
            let count = isLater ? Double(entry.sequence - first.sequence) : -Double(first.sequence - entry.sequence)
            return ClockPoint(time: entry.time, position: count / second, isAfterBreak: entry.isAfterBreak)
        }
    }
}

/// Lead of one device's clock over another's, such as a camera's over a microphone's.
///
/// Neither knows of the other; both are compared with CLOCK_MONOTONIC, whose own error drops out. *thread-safe*
package struct ClockDrift: Sendable {
    private let first: ClockRate
    private let second: ClockRate

    /// Part of a limit up to which the uncertainty may go, so that a number can be compared with the limit: the fourth, as is
    /// usual for measuring instruments.
    private static let part = 0.25

    /// - Parameters:
    ///   - first: clock whose drift is reported.
    ///   - second: clock to compare with.
    package init(of first: ClockRate, against second: ClockRate) {
        self.first = first
        self.second = second
    }

    /// Lead of the first clock, in parts per million; `nil` without a rate of both.
    package var ppm: Double? {
        guard let one = first.ppm, let other = second.ppm, other > -1e6 else { return nil }
        return (one - other) / (1 + other / 1e6)
    }

    /// Distance to both sides of ``ppm`` within which the true drift lies in 95 % of all cases; `nil` if there are too few points.
    /// Errors of the two clocks' timestamps are assumed to be independent.
    package var uncertainty: Double? {
        guard let one = first.uncertainty, let other = second.uncertainty else { return nil }
        return (one * one + other * other).squareRoot()
    }

    /// Seconds that both captures lasted at least.
    package var span: Double { min(first.span, second.span) }

    /// True if the captures are long and calm enough to compare the drift with a limit.
    ///
    /// - Parameter limit: parts per million, above 0.
    package func canTell(_ limit: Double) -> Bool {
        uncertainty.map { $0 <= Self.part * limit } ?? false
    }

    /// All numbers, without limits.
    ///
    /// - Parameter limit: parts per million that must be detectable; `drift` has no value if this is not possible, so that a
    ///   capture that is too short does not pass. `nil` reports the drift in any case.
    package func measures(telling limit: Double? = nil) -> [Measure] {
        let isTold = limit.map(canTell) ?? true
        return [
            Measure("drift", isTold ? ppm : nil, "ppm", .target),
            Measure("drift_uncertainty", uncertainty, "ppm", .lower),
            Measure("drift_span", ppm == nil ? nil : span, "s", .none),
        ]
    }

    /// Lead of the first clock over the second, the line through it, and each one's distance from its own line.
    package var series: [Series] {
        let (time, other) = ("time (s)", (second.ppm ?? 0) / 1e6)
        let ahead = first.ahead.map { Series.Point($0.x, ($0.y - other * $0.x) * 1e3) }
        return [
            .thinned("drift", .dots, x: time, y: "ahead (ms)", ahead),
            .thinned("drift_fit", x: time, y: "ahead (ms)", fitted(ahead)),
            .thinned("drift_residual", .dots, x: time, y: "distance (ms)", Self.milliseconds(first.residuals)),
            .thinned("drift_reference", .dots, x: time, y: "distance (ms)", Self.milliseconds(second.residuals)),
        ]
    }

    /// The two ends of a line through the middle of the points.
    private func fitted(_ ahead: [Series.Point]) -> [Series.Point] {
        guard let start = ahead.first?.x, let end = ahead.last?.x, let ppm,
            let x = TimingSample(ahead.map(\.x)), let y = TimingSample(ahead.map(\.y))
        else { return [] }
        return [start, end].map { Series.Point($0, y.mean + ppm / 1e3 * ($0 - x.mean)) }
    }

    private static func milliseconds(_ points: [Series.Point]) -> [Series.Point] {
        points.map { Series.Point($0.x, $0.y * 1e3) }
    }
}
