import CaptureBase
import CaptureRealtime
import Gate

/// Open microphone, and the ring of its periods.
public typealias AudioSession = CaptureSession<AudioFormat>
/// Open camera, and the ring of its frames.
public typealias VideoSession = CaptureSession<VideoFormat>

/// Open device, and the ring of its frames: `AudioSession` or `VideoSession`.
///
/// It has one reader at a time. The device is closed when the value is released, or sooner when the gate ends the
/// capture.
///
/// *session-bound*
public struct CaptureSession<Format: Sendable>: ~Copyable, Sendable {
    /// Shared with the capture thread and the gate; replaced when the device is opened again.
    var core: CaptureCore
    /// Loop that has not been started yet.
    private var stream: CaptureStream?
    var reader: SessionReader
    /// Wait of a task that can't block its thread, once there was one.
    var arrival: Arrival?
    private var gapTracker = GapTracker()
    /// Time between two periods or frames in ns; 0 if it is not known.
    let frameInterval: Int64
    /// Settings that were not met, and a conversion of the frames.
    public internal(set) var differences: [FormatDifference]
    /// Adapter for frames that can't be lent as they are; `nil` if the driver's buffer is lent.
    var pictures: FrameAdapter?
    /// Conversion after that; `nil` for none.
    private var conversion: (any FrameConversion)?
    /// Its entry among the differences.
    private var conversionDifference: FormatDifference?
    /// Settings that a camera was opened with, for opening it again.
    var source = CameraSettings()
    /// Format in the device's own terms, as a broker passes it on.
    package internal(set) var native: LentDevice.Format?
    // Formats are last: the positions of all other fields are then known without knowing the type.
    /// Format of the bytes that are read: the device's own, unless frames are converted.
    public internal(set) var format: Format
    /// Format ahead of the conversion.
    private var unconverted: Format?

    init(
        _ core: CaptureCore, _ stream: consuming CaptureStream, _ reader: consuming SessionReader, format: Format,
        frameInterval: Int64, differences: [FormatDifference], pictures: FrameAdapter? = nil
    ) {
        self.pictures = pictures
        self.core = core
        self.stream = consume stream
        self.reader = reader
        self.format = format
        self.frameInterval = frameInterval
        self.differences = differences
    }

    /// Lets the loop end, which closes the device; nobody waits for it here.
    deinit { core.control.request(.stop) }
}

extension CaptureSession {
    /// Device that is captured.
    public var device: Device { core.device }

    /// Number of the decision that the capture rests on, as in the audit log; `nil` if it is a rule of the
    /// administrator.
    public var decision: Int64? { core.capture.decision }

    /// Counters up to now.
    public var statistics: CaptureStatistics { CaptureStatistics(core.counters, lostWhileAway: gapTracker.lost) }

    /// Present state of the device's signal; `.present` for audio, and if the device can't report it. The flags of each frame
    /// contain the state for that frame.
    public var signal: SignalState { core.counters.signal }

    /// Starts the capture on a realtime thread; a second call does nothing. The C functions are `snd_pcm_start` and
    /// `VIDIOC_STREAMON`.
    public mutating func start() {
        if let stream = stream.take() { core.run(stream) }
    }

    /// Lends the next period or frame if there is one; never waits.
    ///
    /// A frame is a copy if the driver keeps its planes apart, if its fields come one after the other, or if it is
    /// converted; one that can't be converted has no bytes.
    ///
    /// - Parameter body: gets the header and `header.byteCount` bytes: interleaved audio frames, or the driver's own
    ///   buffer of video. They are valid inside the call alone.
    /// - Returns: the result of `body`; `nil` if nothing is there now.
    public mutating func withNext<Value, Failure: Error>(
        _ body: (FrameHeader, RawSpan) throws(Failure) -> Value
    ) throws(Failure) -> Value? {
        guard let conversion else { return try withNextOfDevice(body) }
        return try withNextOfDevice { (header, bytes) throws(Failure) in
            let (header, converted) = conversion.converted(header, bytes)
            return try body(header, converted.bytes)
        }
    }

    /// Converts each entry that is lent from now on, on the reader's thread, replacing an earlier conversion.
    ///
    /// - Parameters:
    ///   - conversion: conversion of each period or frame of ``formatOfDevice``.
    ///   - format: format that it produces.
    ///   - difference: description for people.
    package mutating func convert(
        by conversion: any FrameConversion, to format: Format, _ difference: FormatDifference
    ) {
        endConversion()
        unconverted = self.format
        self.conversion = conversion
        self.format = format
        differences.append(difference)
        conversionDifference = difference
    }

    /// Lends what the device delivers, as without a conversion.
    package mutating func endConversion() {
        if let place = differences.lastIndex(where: { $0 == conversionDifference }) { differences.remove(at: place) }
        format = formatOfDevice
        (conversion, unconverted, conversionDifference) = (nil, nil, nil)
    }

    /// Format ahead of a conversion.
    package var formatOfDevice: Format { unconverted ?? format }

    /// Lends entries before the conversion.
    private mutating func withNextOfDevice<Value, Failure: Error>(
        _ body: (FrameHeader, RawSpan) throws(Failure) -> Value
    ) throws(Failure) -> Value? {
        // A copy: the ring's call holds the session exclusively while the closure runs.
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
            // The first field is not a frame yet: the next buffer completes it.
            if let value = taken { return value }
        }
    }

    /// Lends the next period or frame as the device delivers it, its planes apart: for a broker that passes it on.
    ///
    /// - Returns: false if nothing is there now.
    package mutating func lendNext(_ body: (FrameHeader, RawSpan, RawSpan, RawSpan) -> Void) -> Bool {
        if let done: Void = reader.withNextPlanes({ body($0, $1, $2, $3) }) { return done == () }
        let period: Void? =
            Format.self == AudioFormat.self ? reader.withNext { body($0, $1, RawSpan(), RawSpan()) } : nil
        return period != nil
    }

    /// Waits until there is something to take or the capture has ended.
    ///
    /// - Parameter milliseconds: longest time; -1 for no limit.
    /// - Returns: false when the time passed.
    public mutating func wait(milliseconds: Int32) -> Bool {
        if case .timedOut = reader.wait(milliseconds: milliseconds) { return false }
        return true
    }

    /// Descriptor for poll(2): readable when there is something to take, and at the end, until ``withNext(_:)`` finds
    /// nothing. Do not read from it.
    public var readySignal: Int32 { reader.readySignal }

    /// Makes ``readySignal`` and ``wait(milliseconds:)`` report less often: about once an interval, or when half the
    /// ring is full.
    ///
    /// A wake-up costs the same even if it finds little, so a reader without hurry saves most of them.
    ///
    /// - Parameter interval: 0 for each period or frame, as at the start.
    public mutating func wake(every interval: Duration) {
        let entries = frameInterval == 0 ? 1 : max(1, min(interval / .nanoseconds(frameInterval), 1000))
        reader.wake(after: Int(entries))
    }

    /// Number of periods or frames that can be taken now.
    public var unread: Int { pictures?.whole(reader.unread) ?? reader.unread }

    /// End of the capture; `nil` while it runs. There may still be something to take.
    public var end: SessionEnd? { core.end(reader.ended, of: pictures?.source ?? formatOfDevice as? VideoFormat) }

    /// Continues with the reopened device. Earlier frames that were not read are discarded.
    ///
    /// - Parameters:
    ///   - core: core of the new opening.
    ///   - stream: loop of the new opening.
    ///   - reader: reader of the new ring.
    ///   - rate: frames per second.
    mutating func goOn(
        _ core: CaptureCore, _ stream: consuming CaptureStream, _ reader: consuming SessionReader, rate: Double
    ) {
        while withNext({ _, _ in true }) != nil {}
        pictures?.beginAgain()
        self.core = core
        self.stream = consume stream
        self.reader = reader
        arrival = nil
        gapTracker.begin(rate: rate)
        start()
    }

    /// Asks the capture to end; frames that were captured before can still be taken.
    public func stop() { core.control.request(.stop) }

    /// Ends the capture, closes the device, and writes the end into the audit log.
    ///
    /// - Returns: the final counters.
    @discardableResult
    public consuming func close() async -> CaptureStatistics {
        // A session that was never started is started all the same: its loop closes the device and reports the end.
        stop()
        start()
        waiting: while true {
            // Longer than the hang detector waits for a call to the device: that reports first.
            switch reader.wait(milliseconds: 10_000) {
            case .ready: while reader.withNext({ _, _ in }) != nil {}
            case .ended, .timedOut: break waiting
            }
        }
        await core.finish(end)
        return statistics
    }
}

/// Conversion of a session's entries, in its own memory.
///
/// *session-bound*
package protocol FrameConversion: AnyObject, Sendable {
    /// Converts a period or a frame.
    ///
    /// - Returns: bytes, valid until the next call; none if the frame is broken.
    func convert(_ bytes: RawSpan) -> UnsafeRawBufferPointer
}

extension FrameConversion {
    /// Converts a period or a frame, and what its header says.
    ///
    /// - Returns: the header with the new number of bytes, and those, as by ``convert(_:)``.
    package func converted(_ header: FrameHeader, _ bytes: RawSpan) -> (FrameHeader, UnsafeRawBufferPointer) {
        let converted = convert(bytes)
        var header = header
        header.byteCount = converted.count
        return (header, converted)
    }
}

/// Reading end of a microphone's or a camera's ring.
///
/// One type for both, so that the capture loop's types stay out of the API.
///
/// *session-bound*
enum SessionReader: ~Copyable, Sendable {
    case audio(AudioRing.Consumer)
    case video(VideoRing.Consumer)

    /// Lends the oldest entry; `nil` if none exists.
    mutating func withNext<Value, Failure: Error>(
        _ body: (FrameHeader, RawSpan) throws(Failure) -> Value
    ) throws(Failure) -> Value? {
        try with(
            { (reader) throws(Failure) in try reader.withNext(body) },
            { (reader) throws(Failure) in try reader.withNext(body) })
    }

    /// Lends the oldest video frame with each plane of memory apart; absent planes are empty.
    mutating func withNextPlanes<Value, Failure: Error>(
        _ body: (FrameHeader, RawSpan, RawSpan, RawSpan) throws(Failure) -> Value
    ) throws(Failure) -> Value? {
        try with({ (_) throws(Failure) in nil }, { (reader) throws(Failure) in try reader.withNextPlanes(body) })
    }

    /// Waits for an entry or the end; -1 for no limit.
    mutating func wait(milliseconds: Int32) -> ReaderWakeup {
        with({ $0.wait(milliseconds: milliseconds) }, { $0.wait(milliseconds: milliseconds) })
    }

    /// Takes the reader out, and puts it back when the call returns or throws.
    private mutating func with<Value, Failure: Error>(
        _ audio: (inout AudioRing.Consumer) throws(Failure) -> Value,
        _ video: (inout VideoRing.Consumer) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let result: Result<Value, Failure>
        switch consume self {
        case .audio(var reader):
            result = Result { () throws(Failure) in try audio(&reader) }
            self = .audio(reader)
        case .video(var reader):
            result = Result { () throws(Failure) in try video(&reader) }
            self = .video(reader)
        }
        return try result.get()
    }

    /// Descriptor for poll(2).
    var readySignal: Int32 {
        switch self {
        case .audio(let reader): reader.readySignal
        case .video(let reader): reader.readySignal
        }
    }

    /// Wakes the reader after a number of entries.
    mutating func wake(after entries: Int) {
        with({ $0.wakeAfter = entries }, { $0.wakeAfter = entries })
    }

    /// Result of the loop, once it has ended.
    var ended: LoopResult? {
        switch self {
        case .audio(let reader): reader.ended
        case .video(let reader): reader.ended
        }
    }

    /// Number of entries that can be taken.
    var unread: Int {
        switch self {
        case .audio(let reader): reader.unread
        case .video(let reader): reader.unread
        }
    }
}

/// Continuity when a device is unplugged: makes one stream of the frames before and after the device's return.
///
/// Numbers continue, and the frames that the device would have made meanwhile count as lost. Only the clock can measure them,
/// since the device starts its own numbers again.
///
/// *session-bound*
struct GapTracker: Sendable {
    /// Number of frames missed in all absences.
    private(set) var lost: UInt64 = 0
    /// Difference between a continued sequence number and the device's own.
    private var base: UInt64 = 0
    /// Sequence number that follows the last frames read.
    private var next: UInt64 = 0
    /// Timestamp of the last frames read, and their number.
    private var timestamp: Int64 = 0
    private var count = 0
    /// Frames per second while the return is pending; otherwise 0.
    private var rate = 0.0

    /// Announces that the next header is the first one after the device's return.
    ///
    /// - Parameter rate: frames per second.
    mutating func begin(rate: Double) {
        self.rate = rate
    }

    /// Header with a continued sequence number, and with the loss if it is the first after a return.
    mutating func continued(_ header: FrameHeader) -> FrameHeader {
        var header = header
        if rate > 0 { close(&header) }
        header.sequence &+= base
        next = header.sequence &+ UInt64(header.frameCount)
        (timestamp, count) = (header.timestamp, header.frameCount)
        return header
    }

    /// Adds the loss of the absence to the first header after it.
    private mutating func close(_ header: inout FrameHeader) {
        defer { rate = 0 }
        // Unplugged before the first frame: nothing is missing.
        guard timestamp > 0 else { return }
        let passed = (Double(header.timestamp - timestamp) / 1e9 * rate).rounded() - Double(count)
        // The device may report another loss in this header; it is within the same time and must not count twice.
        let known = header.lost.total
        let missed = passed > Double(known) ? UInt64(passed) - known : 0
        lost &+= missed
        header.lost.device &+= missed
        header.flags.formUnion([.gap, .reattached])
        base = next &+ missed &+ known &- header.sequence
    }
}
