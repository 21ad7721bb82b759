import CaptureGate

/// A microphone's way into the clip.
final class AudioLane: Lane {
    let track: ClipTrack
    let source: AudioSession.Frames
    private var meter: LevelMeter
    private let timeline: Timeline
    private let format: AudioFormat
    private let role: SoundRole
    private var outlet: SoundOutlet?
    private var placement: SoundPlacement?
    /// In the clip.
    private var index = 0
    /// Frames that were lost where that ends the clip.
    private var unplaced = LostFrames()

    init(_ session: consuming AudioSession, _ timeline: Timeline, role: SoundRole, back: Handoff<AudioSession>) {
        let device = session.device
        format = session.format
        track = ClipTrack(.audio(format), name: device.name, device: device.id.rawValue)
        meter = LevelMeter(format)
        self.role = role
        self.timeline = timeline
        let reopening = Reopening<OpenedMicrophone>()
        source = SessionFrames(session, timeline, rate: Double(format.sampleRate), back: back) {
            (session) throws(CaptureError) in try session?.reattach(by: reopening) ?? false
        }
    }

    var elapsed: Int64 { outlet?.nanoseconds ?? 0 }
    var isComplete: Bool { hasMissed || outlet?.isFull ?? false }
    /// The device was away at the clip's end.
    private var hasMissed = false

    func write(to writer: any ClipWriter, as track: Int) throws(CaptureError) -> Bool {
        var wrote = false
        while !isComplete, try writeNext(to: writer, as: track) { wrote = true }
        return wrote
    }

    func miss(until nanoseconds: Int64, in writer: any ClipWriter, as track: Int) throws(CaptureError) {
        hasMissed = true
        let placement = placement ?? begin(writer, track)
        guard let outlet else { return }
        try placement.finish()
        let end = SoundTime(rate: format.sampleRate).frames(nanoseconds)
        let frames = outlet.room(for: end - min(end, outlet.written))
        try note(device: frames, ring: 0, before: .reattached, at: outlet)
        if case .stalled = source.end { try placement.miss(frames, as: \.stall) } else { try placement.miss(frames) }
    }

    func finish() throws(CaptureError) { try placement?.finish() }

    func ledger(counts: EncoderCounts) -> TrackLedger {
        var ledger = TrackLedger(kind: .audio, name: track.name, device: track.device)
        ledger.xruns = source.statistics?.xruns ?? 0
        ledger.priority = source.statistics?.priority
        guard let outlet, let placement else { return ledger }
        ledger.lost = placement.lost
        ledger.lost += unplaced
        ledger.marks = timeline.losses.marks(of: index)
        ledger.filled = outlet.filled
        ledger.delivered = outlet.delivered
        ledger.corrected = outlet.corrected
        ledger.asked = ledger.delivered + ledger.lost.total
        ledger.startOffsetNanoseconds = placement.startOffsetNanoseconds
        ledger.note(drift: placement.drift)
        ledger.endOffsetNanoseconds = placement.offsetNanoseconds
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
            lost: placement?.lost.total ?? 0, xruns: source.statistics?.xruns ?? 0)
    }

    // MARK: One period

    /// - Returns: false where there is none.
    func writeNext(to writer: any ClipWriter, as track: Int) throws(CaptureError) -> Bool {
        let placement = placement ?? begin(writer, track)
        return try source.takeNext { (header, bytes) throws(CaptureError) in try place(header, bytes, placement) }
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
        try note(device: lost.device, ring: lost.ring, before: header.flags, at: outlet)
    }

    private func note(
        device: UInt64, ring: UInt64, before flags: FrameFlags, at outlet: SoundOutlet
    ) throws(CaptureError) {
        let frames = outlet.room(for: device + ring)
        do throws(CaptureError) {
            try timeline.losses.note(frames, of: track, index, at: outlet.nanoseconds)
        } catch {
            unplaced.add(device, before: flags)
            unplaced.ring = ring
            throw error
        }
    }

    private func begin(_ writer: any ClipWriter, _ track: Int) -> SoundPlacement {
        let target = timeline.duration.map { SoundTime(rate: format.sampleRate).frames($0) }
        let outlet = SoundOutlet(
            format, to: writer, as: track, target: target,
            watch: timeline.silence.map { SilenceWatch($0, format) })
        let placement = SoundPlacement(outlet, timeline, clock: source.clock, isSteered: role == .follows)
        if role == .leads { timeline.pace = placement }
        self.outlet = outlet
        index = track
        self.placement = placement
        return placement
    }
}
