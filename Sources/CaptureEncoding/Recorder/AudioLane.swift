import CaptureGate

/// A microphone's way into the clip: cut to the sample at both ends, with silence where frames were lost.
final class AudioLane: Lane {
    let track: ClipTrack
    let differences: [String]
    private(set) var meter = LevelMeter()
    private var session: AudioSession?
    private let back: Box<AudioSession>
    private let timeline: Timeline
    private let format: AudioFormat
    private var written: UInt64 = 0
    private var count: TrackLedger
    private var hasStarted = false
    /// Silence is written from here, a piece at a time.
    private let silence: [UInt8]

    init(_ session: consuming AudioSession, _ timeline: Timeline, back: Box<AudioSession>) {
        let device = session.device
        format = session.format
        differences = session.differences
        track = ClipTrack(.audio(format), name: device.name, device: device.id.rawValue)
        count = TrackLedger(kind: .audio, name: device.name, device: device.id.rawValue)
        silence = [UInt8](repeating: 0, count: format.bytesPerFrame * 1024)
        self.timeline = timeline
        self.back = back
        self.session = consume session
    }

    var readySignal: Int32 { session?.readySignal ?? -1 }
    var end: SessionEnd? { session?.end }
    var lastTimestamp: Int64 { session?.statistics.lastTimestamp ?? 0 }
    var elapsed: Int64 { nanoseconds(written) }
    var isComplete: Bool { target.map { written >= $0 } ?? false }

    func start() {
        session?.wake(every: Self.wakeInterval)
        session?.start()
    }

    func stop() { session?.stop() }

    func release() {
        if let session = session.take() { back.put(session) }
    }

    func skip() -> Bool {
        session?.withNext { _, _ in true } ?? false
    }

    func write(to writer: any ClipWriter, as track: Int) throws(CaptureError) -> Bool {
        var wrote = false
        while !isComplete, try writeNext(to: writer, as: track) { wrote = true }
        return wrote
    }

    func ledger(counts: EncoderCounts) -> TrackLedger {
        var ledger = count
        ledger.delivered = written - count.filled
        ledger.asked = ledger.delivered + ledger.lost.total
        ledger.xruns = session?.statistics.xruns ?? 0
        ledger.firstNanoseconds = written == 0 ? nil : 0
        ledger.lastNanoseconds = written == 0 ? nil : nanoseconds(written - 1)
        return ledger
    }

    /// What was heard since the last call, and what was counted so far.
    func progress() -> AudioProgress {
        let level = meter.read()
        return AudioProgress(
            peakDBFS: level.peakDBFS, rmsDBFS: level.rmsDBFS, clipped: level.clipped, frames: written,
            lost: count.lost.total, xruns: session?.statistics.xruns ?? 0)
    }

    // MARK: One period

    /// - Returns: false where there is none.
    private func writeNext(to writer: any ClipWriter, as track: Int) throws(CaptureError) -> Bool {
        // The closure of a ring can't throw past the ring's own bookkeeping untyped, so the error is typed through.
        try session?.withNext { (header, bytes) throws(CaptureError) in
            try self.place(header, bytes, writer, track)
            return true
        } ?? false
    }

    private func place(
        _ header: FrameHeader, _ bytes: RawSpan, _ writer: any ClipWriter, _ track: Int
    ) throws(CaptureError) {
        timeline.start(at: header.timestamp)
        var cut = 0
        if hasStarted {
            try fill(lost: header, writer, track)
        } else {
            cut = min(before(header), header.frameCount)
            guard cut < header.frameCount else { return }
            hasStarted = true
            try lead(in: header, writer, track)
        }
        let frames = Int(room(for: UInt64(header.frameCount - cut)))
        guard frames > 0 else { return }
        let size = format.bytesPerFrame
        let kept = bytes.extracting(cut * size..<(cut + frames) * size)
        meter.update(with: kept, format: format.sampleFormat)
        try writer.write(kept, to: track, at: elapsed)
        written += UInt64(frames)
    }

    /// Frames of a period that lie before the clip's start.
    private func before(_ header: FrameHeader) -> Int {
        guard let origin = timeline.origin, header.timestamp < origin else { return 0 }
        return Int(frames(origin - header.timestamp))
    }

    /// Silence where the first frame comes later than the clip's start.
    private func lead(in header: FrameHeader, _ writer: any ClipWriter, _ track: Int) throws(CaptureError) {
        guard let origin = timeline.origin, header.timestamp > origin else { return }
        count.startOffsetNanoseconds = header.timestamp - origin
        try writeSilence(frames(header.timestamp - origin), writer, track)
    }

    private func fill(lost header: FrameHeader, _ writer: any ClipWriter, _ track: Int) throws(CaptureError) {
        guard header.lost.total > 0 else { return }
        // What is missing past the clip's end is not missing in the clip.
        let device = room(for: header.lost.device)
        count.lost.xrun += device
        try writeSilence(device, writer, track)
        let ring = room(for: header.lost.ring)
        count.lost.ring += ring
        try writeSilence(ring, writer, track)
    }

    private func room(for frames: UInt64) -> UInt64 {
        target.map { min(frames, $0 - min($0, written)) } ?? frames
    }

    private func writeSilence(_ frames: UInt64, _ writer: any ClipWriter, _ track: Int) throws(CaptureError) {
        var left = room(for: frames)
        let silence = silence
        let bytes = silence.span.bytes
        while left > 0 {
            let piece = min(left, 1024)
            let zeros = bytes.extracting(first: Int(piece) * format.bytesPerFrame)
            try writer.write(zeros, to: track, at: elapsed)
            written += piece
            count.filled += piece
            left -= piece
        }
    }

    // MARK: Frames and time

    private var target: UInt64? {
        timeline.duration.map { frames($0) }
    }

    private func frames(_ nanoseconds: Int64) -> UInt64 {
        let (high, low) = UInt64(max(0, nanoseconds)).multipliedFullWidth(by: UInt64(format.sampleRate))
        let (whole, rest) = UInt64(1_000_000_000).dividingFullWidth((high, low))
        return whole + (rest >= 500_000_000 ? 1 : 0)
    }

    private func nanoseconds(_ frames: UInt64) -> Int64 {
        let (high, low) = frames.multipliedFullWidth(by: 1_000_000_000)
        return Int64(UInt64(format.sampleRate).dividingFullWidth((high, low)).quotient)
    }
}
