import CaptureEncoding
import CaptureGate

/// Frames of a session, with the device's clock as the first of them show it.
///
/// *session-bound*
final class SessionFrames<Format: Sendable>: FrameSource {
    typealias Session = CaptureSession<Format>

    let decision: Int64?
    let differences: [FormatDifference]
    /// Clock of the device. It sees the timestamps of frames that are thrown away, too: the more, the better it knows.
    var clock: DeviceClock
    /// Encoder of raw video frames to JPEG images as they arrive; `nil` leaves frames unchanged.
    var compressor: FrameCompressor?
    private(set) var hasDelivered = false
    /// Tells key frames; `nil` for frames that need no others.
    var isKey: ((RawSpan) -> Bool)?
    /// Frames that were discarded because none was a key frame.
    private var keyless = 0
    /// Called with frames as they are taken into memory, so that a person sees and hears the waiting frames.
    var watch: ((FrameHeader, RawSpan) -> Void)?
    private let owner: SessionOwner<Format>
    private let clip: ClipClock
    private let attach: (inout Session?) throws(CaptureError) -> Bool
    /// Frames in memory from before the clip's start.
    private let held = PreRollBuffer()
    /// Counters when the recording began: a session may have run before.
    private var before: CaptureStatistics?

    /// Interval at which the recorder's thread is woken for a device: a file is in no hurry.
    private static var wakeInterval: Duration { .milliseconds(50) }

    /// - Parameters:
    ///   - owner: owner of the session.
    ///   - clip: the clip's time.
    ///   - rate: nominal rate of audio frames, or video frames, per second.
    ///   - attach: continues with a device that was unplugged.
    init(
        _ owner: SessionOwner<Format>, _ clip: ClipClock, rate: Double,
        attach: @escaping (inout Session?) throws(CaptureError) -> Bool
    ) {
        decision = owner.session.withLock { $0?.decision ?? nil }
        differences = owner.session.withLock { $0?.differences ?? [] }
        clock = DeviceClock(rate: rate)
        before = owner.session.withLock { $0?.statistics }
        self.owner = owner
        self.clip = clip
        self.attach = attach
    }

    var readySignal: Int32 { owner.session.withLock { $0?.readySignal ?? -1 } }
    /// Frames held and those left in the ring come first, once the clip has begun. The end is read before the ring: frames
    /// that were committed before it are then seen for certain.
    var end: SessionEnd? {
        let (end, unread) = owner.session.withLock { session -> (SessionEnd?, Int) in
            let end = session?.end ?? nil
            return (end, end == nil ? 0 : session?.unread ?? 0)
        }
        guard let end else { return nil }
        return clip.origin == nil || held.isEmpty && unread == 0 ? end : nil
    }
    var signal: SignalState { owner.session.withLock { $0?.signal ?? .present } }
    var handle: SessionHandle? { owner.session.withLock { $0?.handle } }
    /// Counters since the recording began.
    var statistics: CaptureStatistics? {
        owner.session.withLock { $0?.statistics }.map { now in before.map(now.since) ?? now }
    }
    var lastTimestamp: Int64 { statistics?.lastTimestamp ?? 0 }
    var oldestHeld: Int64? { held.oldest }

    func start() {
        owner.start(wakingEvery: Self.wakeInterval)
    }

    func stop() { owner.session.withLock { $0?.stop() } }

    func reattach() throws(CaptureError) -> Bool {
        let isBack = try owner.session.withLock { (session) throws(CaptureError) in try attach(&session) }
        guard isBack else { return false }
        // The new opening counts from 0.
        before = nil
        owner.start(wakingEvery: Self.wakeInterval)
        return true
    }

    var needsKeys: Bool { isKey != nil }

    func heldKey(near moment: Int64) -> Int64? { needsKeys ? held.keyTime(near: moment) : nil }

    func skip() -> Bool {
        if needsKeys { return skipToKey() }
        // Nothing in it throws.
        let skipped = try? owner.withNext { (header, _) throws(CaptureError) in
            clock.update(header)
            return true
        }
        hasDelivered = hasDelivered || skipped != nil
        return skipped != nil
    }

    /// Holds a frame, and forgets those that no clip needs which begins with the last key frame.
    private func skipToKey() -> Bool {
        guard (try? holdOne()) != nil else { return false }
        while let header = held.dropFirstBeforeKey(most: PreRoll.mostBytes / 4) {
            clock.update(header)
            keyless += 1
        }
        // After this time without a key frame, the clip starts, and the start reports the problem.
        hasDelivered = hasDelivered || !held.isEmpty || keyless > Self.mostKeyless
        return true
    }

    private static var mostKeyless: Int { 900 }

    func hold(_ nanoseconds: Int64, most: Int) throws(CaptureError) -> Bool {
        guard let newest = try holdOne() else { return false }
        while let header = held.dropFirst(before: newest - nanoseconds, most: most) { clock.update(header) }
        return true
    }

    func holdNext() throws(CaptureError) -> Bool { try holdOne() != nil }

    /// Lends the next period or video frame in the form for the writer.
    /// - Returns: false if none exists.
    func takeNext(_ body: (FrameHeader, RawSpan) throws(CaptureError) -> Void) throws(CaptureError) -> Bool {
        guard held.isEmpty else {
            // Takes one frame for each that is written, so that the ring does not overflow. Not all available frames: if encoding
            // takes longer than a frame lasts, there would always be one more.
            _ = try holdOne()
            try held.takeFirst(body)
            return true
        }
        // The closure of a ring can't throw past the ring's own bookkeeping untyped, so the error is typed through.
        return try withNext { (header, bytes) throws(CaptureError) in
            try body(header, bytes)
            return true
        } ?? false
    }

    /// - Returns: the timestamp of the frame that was taken into memory; `nil` if there was none.
    private func holdOne() throws(CaptureError) -> Int64? {
        try withNext { header, bytes in
            held.append(header, bytes, isKey: isKey?(bytes) ?? true)
            watch?(header, bytes)
            return header.timestamp
        }
    }

    private func withNext<Value: Sendable>(
        _ body: (FrameHeader, RawSpan) throws(CaptureError) -> Value
    ) throws(CaptureError) -> Value? {
        guard let compressor else { return try owner.withNext(body) }
        return try owner.withNext { (header, frame) throws(CaptureError) in
            try compressor.withImage(of: frame) { (image) throws(CaptureError) in try body(header, image) }
        }
    }
}

extension CaptureSession {
    typealias Frames = SessionFrames<Format>
}

/// Compression of a camera's raw frames to JPEG images before they wait in memory, since images need a small part of the space.
///
/// The images are stored in the clip unchanged: each frame is encoded once, with the clip's parameters.
///
/// *session-bound*
final class FrameCompressor {
    /// Format of the images.
    let format: VideoFormat
    private let encoder: MJPEGEncoder
    private var packets = PacketBuffer()

    /// - Parameters:
    ///   - source: format of the frames.
    ///   - parameters: of the images.
    /// - Throws: `.usage` for frames that can't be made JPEG, and parameters out of range.
    init(_ source: VideoFormat, _ parameters: MJPEGParameters) throws(CaptureError) {
        format = source.laidOut(as: .mjpeg, bytesPerLine: 0, source.colorimetry.asJPEG)
        encoder = MJPEGEncoder(format: source, parameters: parameters)
        try encoder.begin()
    }

    /// Lends the image of a frame.
    /// - Parameters:
    ///   - frame: raw.
    ///   - body: gets the image; no bytes for a frame that was short, so that the clip's writer counts it as broken.
    func withImage<Value>(
        of frame: RawSpan, _ body: (RawSpan) throws(CaptureError) -> Value
    ) throws(CaptureError) -> Value {
        packets.removeAll()
        try encoder.encode(frame, at: 0, into: &packets)
        guard packets.count > 0 else { return try body(RawSpan()) }
        return try packets.withBytes(of: 0) { (image) throws(CaptureError) in try body(image.bytes) }
    }
}
