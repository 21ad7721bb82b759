import CaptureGate

/// Measures encoders and containers with frames from memory, in the calling thread.
///
/// *thread-safe*
public struct EncoderBenchmark: Sendable {
    /// How long a subject is measured, by the clock; at least ``leastFrames`` frames are.
    public var duration: Duration
    public var clock: any BenchmarkClock

    /// So few frames are measured where one takes longer than all the time there is.
    public static let leastFrames = 3
    /// Different frames that are encoded in turn.
    private static let pool = 4
    /// So many times are kept at most.
    private static let mostFrames = 1_000_000
    private static let countedFrames = 32

    /// - Parameters:
    ///   - duration: for each subject, a warm-up of a tenth not counted.
    ///   - clock: what times are read from.
    public init(duration: Duration, clock: any BenchmarkClock = SystemBenchmarkClock()) {
        self.duration = duration
        self.clock = clock
    }

    /// Encodes the subject's frames until the time is over; blocks the thread meanwhile.
    /// - Throws: `.usage` for what the encoder does not take, and what else it throws.
    public func measure(_ subject: BenchmarkSubject) throws(CaptureError) -> EncoderMeasurement {
        let frames = try BenchmarkFrames(of: subject.media, count: Self.pool).frames
        let run = Run(task: try subject.task(), frames: frames, step: subject.frameNanoseconds, clock: clock)
        var times: [Int64] = []
        times.reserveCapacity(Self.mostFrames / 10)
        _ = try run.encode(for: duration / 10, least: 1, most: Self.mostFrames, into: &times)
        times.removeAll(keepingCapacity: true)
        let before = run.task.bytes
        let spent = try run.encode(
            for: duration, least: Self.leastFrames, most: Self.mostFrames, into: &times)
        let bytes = run.task.bytes - before
        let ranks = Percentile(of: times)
        return EncoderMeasurement(
            subject: subject, frames: times.count, bytes: bytes, elapsedNanoseconds: spent.elapsed,
            processorNanoseconds: spent.processor, medianNanoseconds: ranks[50], slowNanoseconds: ranks[99],
            allocationsPerFrame: try allocations(run, among: times))
    }

    /// Counted in frames of their own, so that counting costs the others no time.
    private func allocations(_ run: Run, among times: [Int64]) throws(CaptureError) -> Double? {
        // A tenth of the time at most.
        let frames = min(Self.countedFrames, max(times.count / 10, 1))
        let count = try AllocationCount.of { () throws(CaptureError) in
            for _ in 0..<frames { try run.next() }
        }
        return count.map { Double($0) / Double(frames) }
    }
}

/// Frames on their way through a task, one after the other.
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

    /// - Parameter times: gets what each frame took by the clock.
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
