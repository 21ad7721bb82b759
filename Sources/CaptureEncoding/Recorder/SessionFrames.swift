import CaptureGate

/// The frames of a session, and what the first ones say of the device's clock.
final class SessionFrames<Reader: RingReader & ~Copyable, Format: Sendable>: FrameSource {
    typealias Session = CaptureSession<Reader, Format>

    let decision: Int64?
    let differences: [String]
    /// Sees the stamps from the first on, also of what is thrown away: the longer, the better it knows the clock.
    var clock: DeviceClock
    /// Where raw pictures are made JPEG images as they come.
    var compressor: PictureCompressor?
    private var session: Session?
    private let back: Handoff<Session>
    private let timeline: Timeline
    private let attach: (inout Session?) throws(CaptureError) -> Bool
    /// What was taken into memory before the clip has begun.
    private let held = HeldFrames()

    /// How often the recorder's thread is woken for a device: a file is in no hurry.
    private static var wakeInterval: Duration { .milliseconds(50) }

    /// - Parameters:
    ///   - rate: frames a second, nominal: samples, or pictures.
    ///   - back: where the session goes in the end.
    ///   - attach: goes on with a device that was unplugged.
    init(
        _ session: consuming Session, _ timeline: Timeline, rate: Double, back: Handoff<Session>,
        attach: @escaping (inout Session?) throws(CaptureError) -> Bool
    ) {
        decision = session.decision
        differences = session.differences
        clock = DeviceClock(rate: rate)
        self.timeline = timeline
        self.back = back
        self.attach = attach
        self.session = consume session
    }

    var readySignal: Int32 { session?.readySignal ?? -1 }
    /// What is held and what the ring still has come first, once the clip has begun. The end is looked at before the
    /// ring: what was committed before it is then seen for certain.
    var end: SessionEnd? {
        guard let end = session?.end else { return nil }
        return timeline.origin == nil || held.isEmpty && session?.unread ?? 0 == 0 ? end : nil
    }
    var signal: SignalState { session?.signal ?? .present }
    var handle: SessionHandle? { session?.handle }
    var statistics: CaptureStatistics? { session?.statistics }
    var lastTimestamp: Int64 { statistics?.lastTimestamp ?? 0 }
    var oldestHeld: Int64? { held.oldest }

    func start() {
        session?.wake(every: Self.wakeInterval)
        session?.start()
    }

    func stop() { session?.stop() }

    func reattach() throws(CaptureError) -> Bool {
        guard try attach(&session) else { return false }
        session?.wake(every: Self.wakeInterval)
        return true
    }

    func release() {
        if let session = session.take() { back.put(session) }
    }

    func skip() -> Bool {
        session?.withNext { header, _ in
            clock.update(header)
            return true
        } ?? false
    }

    func hold(_ nanoseconds: Int64, most: Int) throws(CaptureError) -> Bool {
        guard let newest = try holdOne() else { return false }
        while let header = held.dropFirst(before: newest - nanoseconds, most: most) { clock.update(header) }
        return true
    }

    func holdNext() throws(CaptureError) -> Bool { try holdOne() != nil }

    /// Lends the next period or picture, as the writer is to get it.
    /// - Returns: false where there is none.
    func takeNext(_ body: (FrameHeader, RawSpan) throws(CaptureError) -> Void) throws(CaptureError) -> Bool {
        guard held.isEmpty else {
            // In its turn what comes meanwhile, so that the ring does not overflow. Not all that is there: where encoding
            // takes longer than a picture lasts there would always be one more.
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

    /// - Returns: its timestamp; `nil` where there is none.
    private func holdOne() throws(CaptureError) -> Int64? {
        try withNext { header, bytes in
            held.append(header, bytes)
            return header.timestamp
        }
    }

    private func withNext<Value>(
        _ body: (FrameHeader, RawSpan) throws(CaptureError) -> Value
    ) throws(CaptureError) -> Value? {
        guard let compressor else { return try session?.withNext(body) }
        return try session?.withNext { (header, picture) throws(CaptureError) in
            try compressor.withImage(of: picture) { (image) throws(CaptureError) in try body(header, image) }
        }
    }
}

extension CaptureSession where Reader: ~Copyable {
    typealias Frames = SessionFrames<Reader, Format>
}
