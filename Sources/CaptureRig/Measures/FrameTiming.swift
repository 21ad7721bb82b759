/// A frame of a camera as far as its timing goes. *thread-safe*
package struct TimedFrame: Hashable, Sendable {
    /// Number of the frame since the start, lost ones counted.
    package var sequence: UInt64
    /// Timestamp of the device, CLOCK_MONOTONIC in ns; any value, since it is judged.
    package var timestamp: Int64
    /// Frames lost directly before this one, by the ledger.
    package var lostBefore: UInt64

    package init(sequence: UInt64, timestamp: Int64, lostBefore: UInt64 = 0) {
        self.sequence = sequence
        self.timestamp = timestamp
        self.lostBefore = lostBefore
    }
}

/// Rate, constancy, jitter, drops, loss and timestamps of a camera's frames.
///
/// All numbers come from the device's timestamps and sequence numbers. A number that the frames do not show is `nil`: every number
/// for fewer than two frames, and those about the nominal interval without a nominal rate. *thread-safe*
package struct FrameTiming: Sendable {
    /// Nominal time from frame to frame in ns; `nil` for an impossible rate.
    private let period: Double?
    private let frames: [TimedFrame]
    /// When each frame arrived, CLOCK_MONOTONIC in ns; `nil` if nobody noted it.
    private let arrivals: [Int64]?
    private let intervals: [FrameInterval]
    /// Intervals without the first, if there are others: a camera may take its time for the second frame.
    private let running: ArraySlice<FrameInterval>
    /// Times a frame of all but the first one, in ms.
    private let steady: TimingSample?
    /// Their distances from their mean, in ms.
    private let distances: TimingSample?

    /// Number of intervals in ``localDrop``.
    private static let window = 30
    /// Share of the nominal interval from which on one counts as a skip.
    private static let skip = 0.2

    /// Reads a capture.
    ///
    /// - Parameters:
    ///   - frames: in the order in which they were delivered.
    ///   - rate: nominal frames per second, as a fraction of positive numbers.
    ///   - arrivals: arrival of each frame, CLOCK_MONOTONIC in ns, one per frame; `nil` if it was not noted.
    package init(_ frames: [TimedFrame], rate: (numerator: Int, denominator: Int), arrivals: [Int64]? = nil) {
        self.frames = frames
        self.arrivals = arrivals
        let isRate = rate.numerator > 0 && rate.denominator > 0
        period = isRate ? 1e9 * Double(rate.denominator) / Double(rate.numerator) : nil
        intervals = zip(frames, frames.dropFirst()).map { FrameInterval(from: $0, to: $1, since: frames[0].timestamp) }
        running = intervals.dropFirst(intervals.count > 1 ? 1 : 0)
        let times = intervals.dropFirst().map { $0.perFrame / 1e6 }
        steady = TimingSample(times)
        let mean = steady?.mean ?? 0
        distances = TimingSample(times.map { abs($0 - mean) })
    }

    /// Time between two frames that came one after the other.
    private struct FrameInterval {
        /// Seconds from the first frame of all to the later one of the two.
        let end: Double
        /// Time in ns; negative where timestamps go backward.
        let time: Double
        /// Frames that it spans by the sequence numbers: one more than were lost. A number that does not rise counts as the next.
        let span: Double
        /// Number of frames by which the sequence numbers and the ledger differ.
        let difference: Double

        init(from one: TimedFrame, to other: TimedFrame, since start: Int64) {
            end = other.timestamp.elapsed(since: start) / 1e9
            time = other.timestamp.elapsed(since: one.timestamp)
            span = other.sequence > one.sequence ? Double(other.sequence - one.sequence) : 1
            difference = abs(span - 1 - Double(other.lostBefore))
        }

        /// Time for each of its frames, in ns.
        var perFrame: Double { time / span }
    }
}

// MARK: - Numbers

extension FrameTiming {
    /// Frames a second from the second timestamp to the last. Lost frames count, by their sequence numbers: loss is not slowness.
    package var frameRate: Double? {
        let time = running.reduce(0) { $0 + $1.time }
        return time > 0 ? running.reduce(0) { $0 + $1.span } / time * 1e9 : nil
    }

    /// Difference of ``frameRate`` from the nominal one in %, positive for a camera that is too fast.
    package var frameRateError: Double? {
        guard let frameRate, let period else { return nil }
        return (frameRate * period / 1e9 - 1) * 100
    }

    /// Largest difference of an interval but the first from the nominal one in %; one over lost frames is judged a frame.
    package var intervalDeviationMax: Double? {
        guard let period else { return nil }
        return running.map { abs($0.perFrame / period - 1) * 100 }.max()
    }

    /// Mean interval in ms, without the first interval, like all numbers up to ``jitterP999``.
    package var intervalMean: Double? { steady?.mean }
    /// Variance of the intervals in ms².
    package var intervalVariance: Double? { steady?.variance }
    /// Largest distance of an interval from the mean in ms.
    package var intervalGapMax: Double? { distances?.most }
    /// Distance from the mean interval that 99 % of the intervals keep, in ms.
    package var jitterP99: Double? { distances?.percentile(0.99) }
    /// Distance from the mean interval that 99.9 % of the intervals keep, in ms.
    package var jitterP999: Double? { distances?.percentile(0.999) }

    /// Time from the first frame to the second in ms.
    package var firstInterval: Double? { intervals.first.map { $0.time / 1e6 } }

    /// Largest mean of thirty intervals in a row, in nominal intervals; of all if there are fewer.
    ///
    /// Lost frames make it larger: it shows how choppy the video was.
    package var localDrop: Double? {
        guard let period else { return nil }
        let size = min(Self.window, intervals.count)
        return zip(frames, frames.dropFirst(size)).map { $1.timestamp.elapsed(since: $0.timestamp) }.max()
            .flatMap { size > 0 ? $0 / Double(size) / period : nil }
    }

    /// Intervals that are off by more than a fifth, in % of all: how Chromium OS finds lost frames, by time alone. It sees frames
    /// that were dropped without a gap in the numbers.
    package var intervalSkips: Double? {
        guard let period, !intervals.isEmpty else { return nil }
        let skips = intervals.count { abs($0.time / period - 1) > Self.skip }
        return 100 * Double(skips) / Double(intervals.count)
    }

    /// Frames lost, by the ledger; never guessed from the time.
    package var lost: Double? {
        intervals.isEmpty ? nil : frames.reduce(0) { $0 + Double($1.lostBefore) }
    }

    /// Frames by which gaps in the sequence numbers and the ledger differ: 0 if it adds up.
    package var ledgerDifference: Double? {
        intervals.isEmpty ? nil : intervals.reduce(0) { $0 + $1.difference }
    }

    /// Timestamps that are not later than the one before, repeated ones included.
    package var timestampsBackward: Int? { counted { $0.time <= 0 } }
    /// Timestamps that are the same as the one before.
    package var timestampsRepeated: Int? { counted { $0.time == 0 } }
    /// Timestamps that are more than a nominal interval earlier than the one before.
    package var timestampsLate: Int? { period.flatMap { period in counted { $0.time < -period } } }

    /// Timestamps that are later than the arrival of their frame; `nil` without an arrival for each frame.
    package var timestampsFuture: Int? {
        guard let arrivals, arrivals.count == frames.count, frames.count > 1 else { return nil }
        return zip(frames, arrivals).count { $0.timestamp > $1 }
    }

    private func counted(_ isMeant: (FrameInterval) -> Bool) -> Int? {
        intervals.isEmpty ? nil : intervals.count(where: isMeant)
    }
}

// MARK: - For the report

extension FrameTiming {
    /// All numbers, without limits. `timestamps_future` is among them if arrivals were given.
    package var measures: [Measure] { rates + jitters + losses + timestamps }

    private var rates: [Measure] {
        [
            Measure("frame_rate", frameRate, "Hz", .target),
            Measure("frame_rate_error", frameRateError, "%", .target),
            Measure("interval_deviation_max", intervalDeviationMax, "%", .lower),
        ]
    }

    private var jitters: [Measure] {
        [
            Measure("interval_mean", intervalMean, "ms", .target),
            Measure("interval_variance", intervalVariance, "ms²", .lower),
            Measure("interval_gap_max", intervalGapMax, "ms", .lower),
            Measure("jitter_p99", jitterP99, "ms", .lower),
            Measure("jitter_p999", jitterP999, "ms", .lower),
            Measure("first_interval", firstInterval, "ms", .lower),
        ]
    }

    private var losses: [Measure] {
        [
            Measure("local_drop", localDrop, "periods", .lower),
            Measure("interval_skips", intervalSkips, "%", .lower),
            Measure("lost", lost, "frames", .lower),
            Measure("ledger_difference", ledgerDifference, "frames", .lower),
        ]
    }

    private var timestamps: [Measure] {
        let future = arrivals == nil ? [] : [frameCount("timestamps_future", timestampsFuture)]
        return [
            frameCount("timestamps_backward", timestampsBackward),
            frameCount("timestamps_repeated", timestampsRepeated),
            frameCount("timestamps_late", timestampsLate),
        ] + future
    }

    private func frameCount(_ name: String, _ count: Int?) -> Measure {
        Measure(name, count.map { Double($0) }, "frames", .lower)
    }

    /// Intervals over time, and their histogram.
    package var series: [Series] {
        let points = intervals.map { Series.Point($0.end, $0.time / 1e6) }
        return [
            .thinned("intervals", x: "time (s)", y: "interval (ms)", points),
            .histogram("interval_histogram", x: "interval (ms)", y: "frames", points.map(\.y), finest: 0.001),
        ]
    }
}
