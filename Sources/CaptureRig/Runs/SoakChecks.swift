import CaptureGate
import CaptureRecording

extension CheckMakers {
    /// A camera alone, for hours.
    static func soak(_ context: CheckContext) async throws(CaptureError) -> CheckFindings {
        try await Soak(context).camera(context.device())
    }

    /// A camera and a microphone, for hours.
    static func soakOfBoth(_ context: CheckContext) async throws(CaptureError) -> CheckFindings {
        guard context.devices.count == 2 else {
            throw CaptureError(.usage, "\(context.planned.name) takes a camera and a microphone.")
        }
        return try await Soak(context).both(context.devices[0], context.devices[1])
    }
}

/// Captures for hours, of which the sums remain.
///
/// *thread-safe*
struct Soak: Sendable {
    let streams: any StreamSource
    private let capture: StreamCapture
    /// Time after which memory must not grow any more.
    private let settling: Duration
    private let meter: UsageMeter

    /// - Parameter meter: reads the process.
    init(_ context: CheckContext, meter: @escaping UsageMeter = ProcessUsage.now) throws(CaptureError) {
        streams = context.streams
        var capture = try context.capture(for: .seconds(8 * 3600))
        capture.keepsHeaders = false
        self.capture = capture
        settling = context.duration("settle") ?? .seconds(600)
        self.meter = meter
    }

    func camera(_ device: Device) async throws(CaptureError) -> CheckFindings {
        let seen = try await inspected(device, meter).get()
        return CheckFindings(
            seen.usageMeasures(after: settling) + [
                Measure("lost", Double(seen.lost), "frames", .lower),
                Measure("unaccounted", seen.unaccounted, "frames", .lower),
            ], series: [seen.series])
    }

    /// Both at once. The camera's times are those at which the process is looked at.
    func both(_ camera: Device, _ microphone: Device) async throws(CaptureError) -> CheckFindings {
        async let seeing = inspected(camera, meter)
        async let hearing = inspected(microphone, nil)
        let (seen, heard) = (try await seeing.get(), try await hearing.get())
        let drift = ClockDrift(of: heard.clock, against: seen.clock)
        let unaccounted = seen.unaccounted.flatMap { one in heard.unaccounted.map { one + $0 } }
        return CheckFindings(
            seen.usageMeasures(after: settling) + [
                Measure("lost", Double(seen.lost), "frames", .lower),
                Measure("sound_lost", Double(heard.lost), "frames", .lower),
                Measure("unaccounted", unaccounted, "frames", .lower),
            ] + drift.measures(), series: [seen.series] + drift.series)
    }

    /// Capture by an inspector; nothing else of it remains.
    private func inspected(_ device: Device, _ meter: UsageMeter?) async -> Result<SoakInspector, CaptureError> {
        let duration = capture.duration
        return await outcome { () async throws(CaptureError) in
            let taken = try await streams.record(capture, from: device) { (media) throws(CaptureError) in
                SoakInspector(media, for: duration, meter: meter)
            }
            try taken.record.check()
            return taken.inspector
        }
    }
}

/// Inspector of a capture of hours, which keeps a sum of all frames and some points of the clock, so that it needs no more memory
/// at its end than at its beginning.
///
/// *session-bound*
struct SoakInspector: StreamInspector {
    static var needsContent: Bool { false }

    /// Frames or audio frames that were delivered and that the ledger has as lost, after the first entry.
    private(set) var delivered: UInt64 = 0
    private(set) var lost: UInt64 = 0
    /// Readings of the device's clock, each the mean of an interval: a timestamp is a few frames' rounding off, and one of them
    /// at equal distances would keep that for a long time, or change it once and for all.
    private(set) var points: [ClockPoint] = []
    private var interval = Interval()
    /// Use of the process at the same moments.
    private(set) var usages: [Reading] = []
    private var first: FrameHeader?
    private var last: FrameHeader?

    private let rate: Double
    private let isSound: Bool
    /// Length of an interval, and time between two readings of the process, in ns. A point costs next to nothing, and a line
    /// through few of them says little of a capture of a minute.
    private let (spacing, pause): (Int64, Int64)
    /// `nil` if another inspector reads the same process.
    private let meter: UsageMeter?

    /// Frames of which a point is made, counted from the first one of them.
    private struct Interval {
        var count = 0
        var start: FrameHeader?
        /// Sum over all of them, in ns.
        var time = 0.0
        /// The same in sequence numbers.
        var position = 0.0
        var isAfterBreak = false

        mutating func add(_ header: FrameHeader) {
            let start = start ?? header
            self.start = start
            count += 1
            time += header.timestamp.elapsed(since: start.timestamp)
            position += Double(Int64(bitPattern: header.sequence &- start.sequence))
        }
    }

    /// Use of the process at a time, in ns of the device's clock since the first frame.
    struct Reading {
        let time: Int64
        let usage: ProcessUsage
    }

    /// Number of readings of which the lowest counts: a thread that is about to end is not a leak.
    private static let calm = 5
    /// Number of points at most, within which no capture grows.
    static let mostPoints = 2000

    init(_ media: ClipTrack.Media, for duration: Duration, meter: UsageMeter?) {
        switch media {
        case .audio(let format): (rate, isSound) = (Double(format.sampleRate), true)
        case .video(let format):
            rate = Double(format.frameRate.numerator) / Double(format.frameRate.denominator)
            isSound = false
        }
        let part = duration.nanoseconds / Int64(Self.mostPoints)
        (spacing, pause) = (max(part, 100_000_000), max(part, 1_000_000_000))
        self.meter = meter
        points.reserveCapacity(Self.mostPoints + 1)
        usages.reserveCapacity(Self.mostPoints + 1)
    }

    mutating func inspect(_ header: FrameHeader, _ bytes: RawSpan) {
        delivered += UInt64(header.frameCount)
        if first == nil {
            first = header
        } else {
            lost += header.lost.total
            // The length of lost audio is only estimated from the time; a camera's numbers count its losses.
            if isSound, header.lost.total > 0 { close(isBreak: true) }
        }
        last = header
        guard let first else { return }
        let time = header.timestamp.elapsed(since: first.timestamp)
        if let start = interval.start?.timestamp,
            !(0..<Double(spacing)).contains(header.timestamp.elapsed(since: start))
        {
            close()
        }
        interval.add(header)
        if usages.last.map({ time - Double($0.time) >= Double(pause) }) ?? true { read(at: Int64(time)) }
    }

    /// Makes a point of the interval.
    private mutating func close(isBreak: Bool = false) {
        if let first, let start = interval.start, points.count <= Self.mostPoints {
            let count = Double(interval.count)
            let begin = Double(Int64(bitPattern: start.sequence &- first.sequence))
            points.append(
                ClockPoint(
                    time: start.timestamp + Int64(interval.time / count),
                    position: (begin + interval.position / count) / rate, isAfterBreak: interval.isAfterBreak))
        }
        interval = Interval(isAfterBreak: isBreak)
    }

    private mutating func read(at time: Int64) {
        guard usages.count <= Self.mostPoints, let usage = meter?() else { return }
        usages.append(Reading(time: time, usage: usage))
    }

    /// Frames that the device made, by its own numbers.
    private var made: UInt64? {
        guard let first, let last, last.sequence >= first.sequence else { return nil }
        return last.sequence - first.sequence + UInt64(last.frameCount)
    }

    /// Frames that are neither delivered nor lost, or that are both; `nil` if the device's numbers do not rise.
    var unaccounted: Double? {
        made.map { abs(Double($0) - Double(delivered) - Double(lost)) }
    }

    var clock: ClockRate { ClockRate(points) }
}

extension SoakInspector {
    /// Measures of the process between a time and the end, both while it captures; without values where the capture was too
    /// short, so that it is no pass.
    ///
    /// - Parameter settling: after which everything is there that a capture keeps.
    func usageMeasures(after settling: Duration) -> [Measure] {
        let settled = usages.filter { $0.time >= settling.nanoseconds }.map(\.usage)
        let isLong = settled.count > Self.calm
        let (start, end) = (
            ProcessUsage.least(settled.prefix(Self.calm)), ProcessUsage.least(settled.suffix(Self.calm))
        )
        let growth = start.flatMap { start in end.map { Double($0.resident - start.resident) / 1024 } }
        return [Measure("memory_growth", isLong ? growth : nil, "MiB", .lower)]
            + ProcessUsage.leaks(from: isLong ? start : nil, to: end)
    }

    /// Memory over the time.
    var series: Series {
        .thinned(
            "memory", x: "time (s)", y: "memory (MiB)",
            usages.map { Series.Point(Double($0.time) / 1e9, Double($0.usage.resident) / 1024) })
    }
}
