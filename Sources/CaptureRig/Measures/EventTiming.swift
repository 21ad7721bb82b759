/// Times that a device took for the same thing, several times over: from the opening to the first frame, or from one format to
/// another. *thread-safe*
package struct Latencies: Sendable {
    private let name: String
    private let milliseconds: [Double]
    private let sample: TimingSample?

    /// - Parameters:
    ///   - name: beginning of the measures' names, such as `first_frame`.
    ///   - times: how long it took each time, in ns.
    package init(_ name: String, _ times: [Int64]) {
        self.name = name
        milliseconds = times.map { Double($0) / 1e6 }
        sample = TimingSample(milliseconds)
    }

    /// Times from the opening to the first frame.
    ///
    /// - Parameter times: ns.
    package static func firstFrame(_ times: [Int64]) -> Latencies { Latencies("first_frame", times) }

    /// Times from the request for another format to its first frame.
    ///
    /// - Parameter times: ns.
    package static func reconfigure(_ times: [Int64]) -> Latencies { Latencies("reconfigure", times) }

    /// Usual time in ms; `nil` without times.
    package var median: Double? { sample?.median }
    /// Longest time in ms; `nil` without times.
    package var most: Double? { sample?.most }

    /// Median and maximum, without limits: `first_frame_median`, `first_frame_max`.
    package var measures: [Measure] {
        [Measure("\(name)_median", median, "ms", .lower), Measure("\(name)_max", most, "ms", .lower)]
    }

    /// Each time, by its number from 1.
    package var series: [Series] {
        let points = milliseconds.enumerated().map { Series.Point(Double($0.offset + 1), $0.element) }
        return [.thinned(name, .dots, x: "number", y: "time (ms)", points)]
    }
}

/// Offset of audio from video, by events that are both seen and heard, such as claps. *thread-safe*
package struct EventSync: Sendable {
    /// Distances in ms, over seconds from the first event.
    private let points: [Series.Point]
    private let sample: TimingSample?

    /// - Parameter events: CLOCK_MONOTONIC in ns at which each was seen, and heard.
    package init(_ events: [(seen: Int64, heard: Int64)]) {
        points = events.map {
            Series.Point($0.seen.elapsed(since: events[0].seen) / 1e9, $0.heard.elapsed(since: $0.seen) / 1e6)
        }
        sample = TimingSample(points.map(\.y))
    }

    /// Mean delay of the audio relative to the video in ms, negative if it is earlier; `nil` without events.
    package var mean: Double? { sample?.mean }
    /// Standard deviation of that time in ms; `nil` for fewer than two events.
    package var deviation: Double? { sample?.estimatedDeviation }

    /// All numbers, without limits.
    package var measures: [Measure] {
        [
            Measure("sync_mean", mean, "ms", .target),
            Measure("sync_deviation", deviation, "ms", .lower),
            Measure("sync_events", sample.map { Double($0.count) }, "", .higher),
        ]
    }

    /// Distance of each event.
    package var series: [Series] {
        [.thinned("sync", .dots, x: "time (s)", y: "audio after video (ms)", points)]
    }
}
