import CaptureBase
import CaptureRealtime
import Gate

/// A microphone that is open, and the ring its periods go through.
public typealias AudioSession = CaptureSession<AudioRing.Consumer, AudioFormat>
/// A camera that is open, and the ring its pictures go through.
public typealias VideoSession = CaptureSession<VideoRing.Consumer, VideoFormat>

/// A device that is open, and the ring its frames go through: `AudioSession` or `VideoSession`.
///
/// One reader at a time. The device is closed when the value is released, or sooner when the gate says so.
///
/// *session-bound*
public struct CaptureSession<Reader: RingReader & ~Copyable, Format: Sendable>: ~Copyable, Sendable {
    var core: CaptureCore
    private var stream: CaptureStream?
    private var reader: Reader
    private var gapTracker = GapTracker()
    /// From one period or picture to the next in nanoseconds, 0 where it is not known.
    let frameInterval: Int64
    /// What is read from it: what the device delivers, unless pictures are converted.
    public internal(set) var format: Format
    /// What was asked for and is otherwise, a sentence each.
    public internal(set) var differences: [String]
    /// For pictures that can't be lent as they are.
    var pictures: FrameAdapter?
    /// What a camera was asked for, for when it is opened again.
    var source = CameraSettings()

    init(
        _ core: CaptureCore, _ stream: consuming CaptureStream, _ reader: consuming Reader, format: Format,
        frameInterval: Int64,
        differences: [String], pictures: FrameAdapter? = nil
    ) {
        self.pictures = pictures
        self.core = core
        self.stream = consume stream
        self.reader = reader
        self.format = format
        self.frameInterval = frameInterval
        self.differences = differences
    }

    deinit { core.control.request(.stop) }
}

extension CaptureSession where Reader: ~Copyable {
    /// The device.
    public var device: Device { core.device }

    /// The number of the decision that the capture rests on, as the audit log has it; `nil` where it is a rule of the
    /// administrator's.
    public var decision: Int64? { core.capture.decision }

    /// What was counted up to now.
    public var statistics: CaptureStatistics { CaptureStatistics(core.counters, lostWhileAway: gapTracker.lost) }

    /// What the device says of its signal now; `.present` where it can't tell, and of sound. Each picture's flags say it of
    /// that picture.
    public var signal: SignalState { core.counters.signal }

    /// Starts the capture on a realtime thread; a second call does nothing. The C functions are `snd_pcm_start` and
    /// `VIDIOC_STREAMON`.
    public mutating func start() {
        if let stream = stream.take() { core.run(stream) }
    }

    /// Lends the next period or picture, if one is there; never waits.
    ///
    /// - Parameter body: gets the header and `header.byteCount` bytes: interleaved frames of sound, or the driver's own
    ///   buffer of picture. A picture whose planes the driver keeps apart, whose fields come one after the other, or that
    ///   is converted, is a copy; one that can't be converted has no bytes.
    /// - Returns: what `body` returned; `nil` where nothing is there now.
    public mutating func withNext<Value, Failure: Error>(
        _ body: (FrameHeader, RawSpan) throws(Failure) -> Value
    ) throws(Failure) -> Value? {
        // Not the session's own, which the ring's call holds.
        var gapTracker = gapTracker
        defer { self.gapTracker = gapTracker }
        guard let pictures else {
            return try reader.withNext { (header, bytes) throws(Failure) in
                try body(gapTracker.continued(header), bytes)
            }
        }
        while true {
            let taken: Value?? = try reader.withNextPlanes { (header, first, second, third) throws(Failure) in
                try pictures.adapt(header, first, second, third) { (header, picture) throws(Failure) in
                    try body(gapTracker.continued(header), picture)
                }
            }
            guard let taken else { return nil }
            // The first field of a picture is none yet.
            if let value = taken { return value }
        }
    }

    /// Waits until there is something to take or the capture has ended.
    ///
    /// - Parameter milliseconds: how long at most; -1 without end.
    /// - Returns: false when the time passed.
    public mutating func wait(milliseconds: Int32) -> Bool {
        if case .timedOut = reader.wait(milliseconds: milliseconds) { return false }
        return true
    }

    /// A descriptor for poll(2): readable from when there is something to take, and at the end, until ``withNext(_:)``
    /// finds nothing. Do not read it yourself.
    public var readySignal: Int32 { reader.readySignal }

    /// Has ``readySignal`` and ``wait(milliseconds:)`` call less often: about once an interval, or when half the ring is
    /// full. A wake-up costs the same whatever it finds, so a reader in no hurry saves most of them.
    ///
    /// - Parameter interval: 0 for each period or picture, which is how it begins.
    public mutating func wake(every interval: Duration) {
        reader.wakeAfter = frameInterval == 0 ? 1 : Int(max(1, min(interval / .nanoseconds(frameInterval), 1000)))
    }

    /// How many periods or pictures can be taken now.
    public var unread: Int { pictures?.whole(reader.unread) ?? reader.unread }

    /// How the capture ended; `nil` while it runs. There may still be something to take.
    public var end: SessionEnd? { core.end(reader.ended, of: pictures?.source ?? format as? VideoFormat) }

    /// Goes on with the device after it was unplugged and came back. What was not read before is given up.
    ///
    /// - Parameter rate: frames a second.
    mutating func goOn(
        _ core: CaptureCore, _ stream: consuming CaptureStream, _ reader: consuming Reader, rate: Double
    ) {
        while withNext({ _, _ in true }) != nil {}
        pictures?.beginAgain()
        self.core = core
        self.stream = consume stream
        self.reader = reader
        gapTracker.begin(rate: rate)
        start()
    }

    /// Asks the capture to end; what was captured before can still be taken.
    public func stop() { core.control.request(.stop) }

    /// Ends the capture, closes the device, and writes the end into the audit log.
    ///
    /// - Returns: what was counted, final.
    @discardableResult
    public consuming func close() async -> CaptureStatistics {
        stop()
        start()
        waiting: while true {
            // Longer than a call to the device may hang: who notices that says so first.
            switch reader.wait(milliseconds: 10_000) {
            case .ready: while reader.withNext({ _, _ in }) != nil {}
            case .ended, .timedOut: break waiting
            }
        }
        await core.finish(end)
        return statistics
    }
}

/// The reading end of a ring, of sound or of picture.
///
/// *session-bound*
public protocol RingReader: ~Copyable, Sendable {
    mutating func withNext<Value, Failure: Error>(
        _ body: (FrameHeader, RawSpan) throws(Failure) -> Value
    ) throws(Failure) -> Value?
    /// The same with each plane of memory apart; absent ones are empty.
    mutating func withNextPlanes<Value, Failure: Error>(
        _ body: (FrameHeader, RawSpan, RawSpan, RawSpan) throws(Failure) -> Value
    ) throws(Failure) -> Value?
    mutating func wait(milliseconds: Int32) -> ReaderWakeup
    var readySignal: Int32 { get }
    var wakeAfter: Int { get set }
    var ended: LoopResult? { get }
    var unread: Int { get }
}

extension AudioRing.Consumer: RingReader {
    /// Sound has one.
    public mutating func withNextPlanes<Value, Failure: Error>(
        _ body: (FrameHeader, RawSpan, RawSpan, RawSpan) throws(Failure) -> Value
    ) throws(Failure) -> Value? {
        try withNext { (header, bytes) throws(Failure) in try body(header, bytes, RawSpan(), RawSpan()) }
    }
}
extension VideoRing.Consumer: RingReader {}

/// Makes one stream of what a device delivers before it is unplugged and after it came back: the frames go on counting,
/// and those that it would have made meanwhile are lost ones.
///
/// *session-bound*
struct GapTracker: Sendable {
    /// Frames that were missed, all absences together.
    private(set) var lost: UInt64 = 0
    /// What the device's own numbers are short of.
    private var base: UInt64 = 0
    /// The last frames read: the number after them, their timestamp and how many they were.
    private var next: UInt64 = 0
    private var timestamp: Int64 = 0
    private var count = 0
    /// Frames a second; 0 where the device is not just back.
    private var rate = 0.0

    /// The next header is the first one after the device's return.
    mutating func begin(rate: Double) {
        self.rate = rate
    }

    /// The header as it would be had the device never been away, but for the loss.
    mutating func continued(_ header: FrameHeader) -> FrameHeader {
        var header = header
        if rate > 0 { close(&header) }
        header.sequence &+= base
        next = header.sequence &+ UInt64(header.frameCount)
        (timestamp, count) = (header.timestamp, header.frameCount)
        return header
    }

    private mutating func close(_ header: inout FrameHeader) {
        defer { rate = 0 }
        // Unplugged before the first frame: nothing is missing.
        guard timestamp > 0 else { return }
        let passed = (Double(header.timestamp - timestamp) / 1e9 * rate).rounded() - Double(count)
        let known = header.lost.total
        let missed = passed > Double(known) ? UInt64(passed) - known : 0
        lost &+= missed
        header.lost.device &+= missed
        header.flags.formUnion([.gap, .reattached])
        base = next &+ missed &+ known &- header.sequence
    }
}
