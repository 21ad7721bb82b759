import CaptureGate
import CaptureRecording

/// Benchmark of encoders and containers with frames from memory, in the calling thread.
///
/// No device and no disk takes part, so two runs on one machine differ by only a few percent, and a slower encoder is visible.
/// Frames are made before the clock starts.
///
/// *thread-safe*
public struct EncoderBenchmark: Sendable {
    /// Wall-clock time for each subject; at least ``leastFrames`` frames are measured, however long they take.
    public var duration: Duration
    public var clock: any BenchmarkClock

    /// Minimum frames of a measurement, for encoders that take longer than the whole time for one frame.
    public static let leastFrames = 3
    /// Number of different frames, encoded in turn: remembering the last one gains an encoder nothing.
    private static let pool = 4
    /// Most times that are kept, which bounds memory if a frame takes almost no time.
    private static let mostFrames = 1_000_000
    private static let countedFrames = 32

    /// - Parameters:
    ///   - duration: time for each subject, without a warm-up of a tenth.
    ///   - clock: source of all times.
    public init(duration: Duration, clock: any BenchmarkClock = SystemBenchmarkClock()) {
        self.duration = duration
        self.clock = clock
    }

    /// Encodes the subject's frames until the time is over; blocks the thread meanwhile.
    ///
    /// - Throws: `.usage` for frames that the encoder does not take, and the encoder's own errors.
    public func measure(_ subject: BenchmarkSubject) throws(CaptureError) -> EncoderMeasurement {
        let frames = try BenchmarkFrames(of: subject.media, count: Self.pool).frames
        let run = Run(task: try subject.task(), frames: frames, step: subject.frameNanoseconds, clock: clock)
        var times: [Int64] = []
        // The array grows here, not between two frames.
        times.reserveCapacity(Self.mostFrames / 10)
        _ = try run.encode(for: duration / 10, least: 1, most: Self.mostFrames, into: &times)
        times.removeAll(keepingCapacity: true)
        let before = run.task.bytes
        let spent = try run.encode(
            for: duration, least: Self.leastFrames, most: Self.mostFrames, into: &times)
        let bytes = run.task.bytes - before
        let ranks = Percentile(of: times)
        return EncoderMeasurement(
            subject: subject, frames: times.count, bytes: bytes, elapsed: .nanoseconds(spent.elapsed),
            processor: .nanoseconds(spent.processor), median: .nanoseconds(ranks[50]), slow: .nanoseconds(ranks[99]),
            allocationsPerFrame: try allocations(run, among: times))
    }

    /// Allocations per frame, counted with separate frames: counting slows down the timed work.
    private func allocations(_ run: Run, among times: [Int64]) throws(CaptureError) -> Double? {
        // At most a tenth of the time.
        let frames = min(Self.countedFrames, max(times.count / 10, 1))
        let count = try AllocationCount.of { () throws(CaptureError) in
            for _ in 0..<frames { try run.next() }
        }
        return count.map { Double($0) / Double(frames) }
    }
}

/// A task with its frames, one after the other.
private final class Run {
    let task: any BenchmarkTask
    private let frames: [[UInt8]]
    private let step: Int64
    private let clock: any BenchmarkClock
    private var number = 0

    init(task: any BenchmarkTask, frames: [[UInt8]], step: Int64, clock: any BenchmarkClock) {
        self.task = task
        self.frames = frames
        self.step = step
        self.clock = clock
    }

    func next() throws(CaptureError) {
        let frame = frames[number % frames.count]
        try task.take(frame.span.bytes, at: Int64(number) * step)
        number += 1
    }

    /// - Parameter times: receives the wall-clock time of each frame, in nanoseconds.
    func encode(
        for duration: Duration, least: Int, most: Int, into times: inout [Int64]
    ) throws(CaptureError) -> (elapsed: Int64, processor: Int64) {
        let limit = duration.nanoseconds
        let begun = clock.now()
        let processor = clock.processor()
        var now = begun
        while times.count < least || (now - begun < limit && times.count < most) {
            try next()
            let then = clock.now()
            times.append(then - now)
            now = then
        }
        return (now - begun, clock.processor() - processor)
    }
}

/// Work that a benchmark does with each frame.
///
/// *session-bound*
protocol BenchmarkTask: AnyObject {
    /// Bytes produced so far.
    var bytes: Int64 { get }

    func take(_ frame: RawSpan, at nanoseconds: Int64) throws(CaptureError)
}

final class EncoderTask: BenchmarkTask {
    private let encoder: any TrackEncoder
    private var packets = PacketBuffer()

    init(_ settings: EncoderSettings, _ track: ClipTrack) throws(CaptureError) {
        encoder = settings.encoder(for: track)
        try encoder.begin()
    }

    var bytes: Int64 { Int64(encoder.counts.bytes) }

    func take(_ frame: RawSpan, at nanoseconds: Int64) throws(CaptureError) {
        packets.removeAll()
        try encoder.encode(frame, at: nanoseconds, into: &packets)
    }
}

final class StillTask: BenchmarkTask {
    private let encoder: StillEncoder
    private(set) var bytes: Int64 = 0

    init(_ still: StillFormat, _ parameters: StillParameters, _ format: VideoFormat) throws(CaptureError) {
        encoder = try StillEncoder(format, as: still, parameters: parameters)
    }

    func take(_ frame: RawSpan, at nanoseconds: Int64) throws(CaptureError) {
        bytes += Int64(try encoder.encode(frame).count)
    }
}

final class ClipTask: BenchmarkTask {
    private let writer: any ClipWriter

    init(_ format: ClipFormat, _ settings: EncoderSettings, _ track: ClipTrack) throws(CaptureError) {
        writer = try format.writer(on: ClipOutput(opening: .nothing), tracks: [track], settings: settings)
    }

    var bytes: Int64 { writer.bytesWritten }

    func take(_ frame: RawSpan, at nanoseconds: Int64) throws(CaptureError) {
        try writer.write(frame, to: 0, at: nanoseconds)
    }
}

extension BenchmarkSubject {
    func task() throws(CaptureError) -> any BenchmarkTask {
        switch (work, media) {
        case (.encoder(let settings), _): try EncoderTask(settings.onOneThread, track)
        case (.clip(let format, let settings), _): try ClipTask(format, settings.onOneThread, track)
        case (.still(let still, let parameters), .video(let format)): try StillTask(still, parameters, format)
        case (.still(let still, _), .audio):
            throw CaptureError(.usage, "\(still.rawValue) is an image format, but \(name) is audio.")
        }
    }
}

extension EncoderSettings {
    /// Settings for an encoder that works only in the calling thread, where it is measured.
    fileprivate var onOneThread: EncoderSettings {
        var settings = self
        settings.threads = 1
        return settings
    }
}
