import CaptureGate
import LinuxSystem

/// Looks at the frames of a session, and notes when they come.
struct FrameWatch: Sendable {
    private(set) var units = 0
    private(set) var elapsed: Int64 = 0
    private(set) var processor: Int64 = 0
    private(set) var intervals: [Int64] = []
    private(set) var delays: [Int64] = []
    private let limit: Int64
    private var last: Int64?
    /// When the first frame was here; the device's start is not part of the measurement.
    private var begun: Int64?

    /// Times that are kept at most: an hour of periods of 4 ms.
    private static let most = 1_000_000

    init(limit: Int64) { self.limit = limit }

    mutating func run<Reader: RingReader & ~Copyable, Format: Sendable>(
        _ session: inout CaptureSession<Reader, Format>, _ isStopped: StopMark
    ) {
        intervals.reserveCapacity(10_000)
        delays.reserveCapacity(10_000)
        var before: Int64 = 0
        session.start()
        while session.end == nil, elapsed < limit, !isStopped.value.load(ordering: .relaxed) {
            _ = session.wait(milliseconds: 100)
            while let header = session.withNext({ header, _ in header }) {
                if begun == nil { before = SystemClock.process.now }
                note(header, now: SystemClock.monotonic.now)
            }
            if let begun { elapsed = SystemClock.monotonic.now - begun }
        }
        if begun != nil { processor = SystemClock.process.now - before }
    }

    /// - Parameter now: nanoseconds of CLOCK_MONOTONIC.
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
