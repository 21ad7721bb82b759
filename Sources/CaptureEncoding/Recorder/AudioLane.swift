import CaptureGate

/// A microphone's way into the clip.
final class AudioLane: Lane {
    let track: ClipTrack
    let differences: [String]
    private var meter: LevelMeter
    private var session: AudioSession?
    private let back: Box<AudioSession>
    private let timeline: Timeline
    let held = HeldFrames()
    private let format: AudioFormat
    private let role: SoundRole
    /// Sees the stamps from the first on, also of what is thrown away: the longer, the better it knows the clock.
    private var clock: DeviceClock
    private var outlet: SoundOutlet?
    private var placement: SoundPlacement?
    /// In the clip.
    private var index = 0
    /// Frames that were lost where that ends the clip.
    private var unplaced = LostFrames()

    init(_ session: consuming AudioSession, _ timeline: Timeline, role: SoundRole, back: Box<AudioSession>) {
        let device = session.device
        format = session.format
        differences = session.differences
        track = ClipTrack(.audio(format), name: device.name, device: device.id.rawValue)
        clock = DeviceClock(rate: Double(format.sampleRate))
        meter = LevelMeter(format)
        self.role = role
        self.timeline = timeline
        self.back = back
        self.session = consume session
    }

    var readySignal: Int32 { session?.readySignal ?? -1 }
    /// What is held comes first, once the clip has begun.
    var end: SessionEnd? { timeline.origin == nil || held.isEmpty ? session?.end : nil }
    var lastTimestamp: Int64 { session?.statistics.lastTimestamp ?? 0 }
    var elapsed: Int64 { outlet?.nanoseconds ?? 0 }
    var isComplete: Bool { outlet?.isFull ?? false }

    func start() {
        session?.wake(every: Self.wakeInterval)
        session?.start()
    }

    func stop() { session?.stop() }

    func reattach() throws(CaptureError) {
        try session?.reattach()
        session?.wake(every: Self.wakeInterval)
    }

    func release() {
        timeline.pace = nil
        if let session = session.take() { back.put(session) }
    }

    func skip() -> Bool {
        session?.withNext { header, _ in
            clock.update(header)
            return true
        } ?? false
    }

    func pass(_ header: FrameHeader) { clock.update(header) }

    func holdNext() -> Int64? {
        session?.withNext { header, bytes in
            held.append(header, bytes)
            return header.timestamp
        }
    }

    func write(to writer: any ClipWriter, as track: Int) throws(CaptureError) -> Bool {
        var wrote = false
        while !isComplete, try writeNext(to: writer, as: track) { wrote = true }
        return wrote
    }

    func finish() throws(CaptureError) { try placement?.finish() }

    func ledger(counts: EncoderCounts) -> TrackLedger {
        var ledger = TrackLedger(kind: .audio, name: track.name, device: track.device)
        ledger.xruns = session?.statistics.xruns ?? 0
        ledger.priority = session?.statistics.priority
        guard let outlet, let placement else { return ledger }
        ledger.lost = placement.lost
        ledger.lost.xrun += unplaced.xrun
        ledger.lost.ring += unplaced.ring
        ledger.marks = timeline.losses.marks(of: index)
        ledger.filled = outlet.filled
        ledger.delivered = outlet.delivered
        ledger.corrected = outlet.corrected
        ledger.asked = ledger.delivered + ledger.lost.total
        ledger.startOffsetNanoseconds = placement.startOffsetNanoseconds
        ledger.note(drift: placement.drift)
        guard outlet.written > 0 else { return ledger }
        ledger.firstNanoseconds = 0
        ledger.lastNanoseconds = SoundTime(rate: format.sampleRate).nanoseconds(outlet.written - 1)
        return ledger
    }

    /// What was heard since the last call, and what was counted so far.
    func progress() -> AudioProgress {
        let level = meter.readTogether()
        return AudioProgress(
            peakDBFS: level.peakDBFS, rmsDBFS: level.rmsDBFS, clipped: level.isClipped, frames: outlet?.written ?? 0,
            lost: placement?.lost.total ?? 0, xruns: session?.statistics.xruns ?? 0)
    }

    // MARK: One period

    /// - Returns: false where there is none.
    private func writeNext(to writer: any ClipWriter, as track: Int) throws(CaptureError) -> Bool {
        let placement = placement ?? begin(writer, track)
        if !held.isEmpty {
            // In its turn what comes meanwhile, so that the ring does not overflow.
            _ = holdNext()
            try held.takeFirst { (header, bytes) throws(CaptureError) in try place(header, bytes, placement) }
            return true
        }
        // The closure of a ring can't throw past the ring's own bookkeeping untyped, so the error is typed through.
        return try session?.withNext { (header, bytes) throws(CaptureError) in
            try self.place(header, bytes, placement)
            return true
        } ?? false
    }

    private func place(
        _ header: FrameHeader, _ bytes: RawSpan, _ placement: SoundPlacement
    ) throws(CaptureError) {
        try note(header)
        let size = format.bytesPerFrame
        let kept = try placement.place(header, bytes)
        meter.update(with: bytes.extracting(kept.lowerBound * size..<kept.upperBound * size))
    }

    private func note(_ header: FrameHeader) throws(CaptureError) {
        let lost = header.lost
        guard lost.total > 0, let outlet, outlet.written > 0 else { return }
        let frames = outlet.room(for: lost.device + lost.ring)
        do throws(CaptureError) {
            try timeline.losses.note(frames, of: track, index, at: outlet.nanoseconds)
        } catch {
            unplaced.xrun = lost.device
            unplaced.ring = lost.ring
            throw error
        }
    }

    private func begin(_ writer: any ClipWriter, _ track: Int) -> SoundPlacement {
        let target = timeline.duration.map { SoundTime(rate: format.sampleRate).frames($0) }
        let outlet = SoundOutlet(
            format, to: writer, as: track, target: target,
            watch: timeline.silence.map { SilenceWatch($0, format) })
        let placement = SoundPlacement(outlet, timeline, clock: clock, isSteered: role == .follows)
        if role == .leads { timeline.pace = placement }
        self.outlet = outlet
        index = track
        self.placement = placement
        return placement
    }
}
