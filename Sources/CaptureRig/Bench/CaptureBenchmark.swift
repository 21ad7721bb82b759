import CaptureGate
import CaptureRecording

/// Benchmark of a device's capture: frames lost, jitter, delay and processor time.
///
/// *thread-safe*
public struct CaptureBenchmark: Sendable {
    /// Time from the first frame: the device's start is not measured.
    public var duration: Duration
    public var video = VideoSettings()
    public var audio = AudioSettings()

    public init(for duration: Duration) { self.duration = duration }

    /// Opens the device, observes its frames until the time is over, and closes it. Cancelling the task ends it sooner.
    ///
    /// - Parameter permit: a permit of a camera at the level `video`, or of a microphone at the level `record`.
    /// - Throws: the error that prevents opening the device, or ends the capture.
    public func measure(with permit: consuming DevicePermit) async throws(CaptureError) -> CaptureMeasurement {
        if permit.capability == .camera {
            try await watch(try await VideoSession(opening: permit, settings: video)) { .video($0) }
        } else {
            try await watch(try await AudioSession(opening: permit, settings: audio)) { .audio($0) }
        }
    }

    private func watch<Format: Sendable>(
        _ session: consuming CaptureSession<Format>, _ media: (Format) -> ClipTrack.Media
    ) async throws(CaptureError) -> CaptureMeasurement {
        let (device, differences) = (session.device, session.differences)
        let media = media(session.format)
        let box = Handoff(session)
        let watch = await SessionReading.read(
            box, on: "capturegate.benchmark", into: FrameWatch(limit: duration.nanoseconds)
        ) { session, watch, isStopped in
            watch.run(&session, isStopped)
        }
        guard let session = box.take() else { throw CaptureError(.unavailable, "The capture did not start.") }
        let end = session.end
        let statistics = await session.close()
        if let error = end?.error { throw error }
        return CaptureMeasurement(
            device: device, media: media, differences: differences, statistics: statistics, units: watch.units,
            elapsed: .nanoseconds(watch.elapsed), processor: .nanoseconds(watch.processor),
            intervals: .init(watch.intervals), delays: .init(watch.delays))
    }
}

/// Record of a session's frames and their arrival times.
struct FrameWatch: Sendable {
    private(set) var units = 0
    private(set) var elapsed: Int64 = 0
    private(set) var processor: Int64 = 0
    private(set) var intervals: [Int64] = []
    private(set) var delays: [Int64] = []
    private let limit: Int64
    private let clock = SystemBenchmarkClock()
    private var last: Int64?
    /// Arrival time of the first frame.
    private var begun: Int64?

    /// Most arrival times that are kept: an hour of periods of 4 ms.
    private static let most = 1_000_000

    init(limit: Int64) { self.limit = limit }

    mutating func run<Format: Sendable>(
        _ session: inout CaptureSession<Format>, _ isStopped: StopMark
    ) {
        intervals.reserveCapacity(10_000)
        delays.reserveCapacity(10_000)
        var before: Int64 = 0
        session.start()
        while session.end == nil, elapsed < limit, !isStopped.isSet {
            _ = session.wait(milliseconds: 100)
            while let header = session.withNext({ header, _ in header }) {
                if begun == nil { before = clock.process() }
                note(header, now: clock.now())
            }
            if let begun { elapsed = clock.now() - begun }
        }
        if begun != nil { processor = clock.process() - before }
    }

    /// - Parameter now: CLOCK_MONOTONIC in ns.
    mutating func note(_ header: FrameHeader, now: Int64) {
        if begun == nil { begun = now }
        if units < Self.most {
            delays.append(now - header.timestamp)
            if let last, header.lost.total == 0 { intervals.append(header.timestamp - last) }
        }
        last = header.timestamp
        units += 1
    }
}

/// Figures of a device's capture while its frames were not used.
///
/// *thread-safe*
public struct CaptureMeasurement: Hashable, Sendable {
    public let device: Device
    public let media: ClipTrack.Media
    /// Settings that the device changed.
    public let differences: [FormatDifference]
    public let statistics: CaptureStatistics
    /// Number of frames, or periods of audio, received.
    public let units: Int
    /// Time by the clock.
    public let elapsed: Duration
    /// Processor time of this process.
    public let processor: Duration
    /// Interval between the timestamps of two units without a loss between them.
    public let intervals: Spread
    /// Time from a unit's timestamp until the reader had it. A period of audio has the timestamp of its first sample, so its
    /// own length is part of the delay.
    public let delays: Spread

    /// Median, 99th percentile and maximum.
    public struct Spread: Hashable, Sendable {
        public let median, slow, most: Duration

        init(_ values: some Sequence<Int64>) {
            let ranks = Percentile(of: values)
            (median, slow, most) = (.nanoseconds(ranks[50]), .nanoseconds(ranks[99]), .nanoseconds(ranks[100]))
        }
    }

    /// Number of frames that were made and not delivered: video frames, or samples of each channel.
    public var lost: UInt64 { statistics.made - min(statistics.delivered, statistics.made) }
    /// Least deviation of the worst timestamps, one in a hundred, from the median interval.
    public var jitter: Duration { max(intervals.slow - intervals.median, .zero) }
    /// Part of one processor that was used, 0 upwards.
    public var processorShare: Double { Double(processor.exactNanoseconds) / Double(max(elapsed.exactNanoseconds, 1)) }
}
