import CaptureEncoding
import CaptureGate

/// Path of a microphone into the clip: each period is aligned with the clip's time, and metered.
///
/// *session-bound*
final class AudioTrackRecorder: TrackRecorder {
    let track: ClipTrack
    let index: Int
    let source: AudioSession.Frames
    private var meter: LevelMeter
    private let clip: ClipClock
    private let losses: LossLog
    private let silence: SilenceDetector?
    private let format: AudioFormat
    private let role: SyncRole
    /// Made with the first period: only then is the device's clock known.
    private var output: AudioTrackWriter?
    private var aligner: AudioAligner?
    /// True if the device was away at the clip's end.
    private var hasMissed = false

    /// - Parameters:
    ///   - owner: owner of the session.
    ///   - clip: the clip's time.
    ///   - losses: counts frames that were lost.
    ///   - silence: ends the recording after a silence; `nil` for never.
    ///   - role: relation to the clip's clock.
    /// - Returns: `nil` for a closed session.
    init?(
        _ owner: SessionOwner<AudioFormat>, _ clip: ClipClock, _ losses: LossLog, silence: SilenceDetector?,
        role: SyncRole
    ) {
        let opened = owner.session.withLock { session in session?.format.paired(with: session?.device) }
        guard let (format, device) = opened else { return nil }
        self.format = format
        track = ClipTrack(.audio(format), name: device.name, device: device.id.rawValue)
        index = losses.add(track)
        meter = LevelMeter(format)
        self.role = role
        self.clip = clip
        self.losses = losses
        self.silence = silence
        let reopening = Reopening<OpenedMicrophone>()
        source = SessionFrames(owner, clip, rate: Double(format.sampleRate)) {
            (session) throws(CaptureError) in try session?.reattach(by: reopening) ?? false
        }
    }

    var elapsed: Int64 { output?.nanoseconds ?? 0 }
    var isComplete: Bool { hasMissed || output?.isFull ?? false }

    func write(to writer: any ClipWriter) throws(CaptureError) -> Bool {
        var wrote = false
        while !isComplete, try writeNext(to: writer) { wrote = true }
        return wrote
    }

    func miss(until nanoseconds: Int64, in writer: any ClipWriter) throws(CaptureError) {
        hasMissed = true
        let aligner = aligner ?? begin(writer)
        guard let output else { return }
        try aligner.finish()
        let end = SampleClock(rate: format.sampleRate).frames(nanoseconds)
        let frames = output.room(for: end - min(end, output.written))
        try note(device: frames, ring: 0, before: .reattached, at: output)
        if case .stalled = source.end {
            try aligner.miss(frames, as: \.stall)
        } else {
            try aligner.miss(frames, as: \.device)
        }
    }

    func limit(to nanoseconds: Int64) {
        output?.limit(to: SampleClock(rate: format.sampleRate).frames(nanoseconds))
    }

    func finish() throws(CaptureError) { try aligner?.finish() }

    func watchHeld(_ isOn: Bool) {
        source.watch = isOn ? { [unowned self] _, bytes in meter.update(with: bytes) } : nil
    }

    func ledger(counts: EncoderCounts) -> TrackLedger {
        var ledger = TrackLedger(kind: .audio, name: track.name, device: track.device)
        let statistics = source.statistics
        ledger.xruns = statistics?.xruns ?? 0
        ledger.priority = statistics?.priority
        guard let output, let aligner else { return ledger }
        ledger.lost = losses.lost(of: index)
        ledger.marks = losses.events(of: index)
        ledger.filled = output.filled
        ledger.delivered = output.delivered
        ledger.corrected = output.corrected
        ledger.asked = ledger.delivered + ledger.lost.total
        ledger.startOffsetNanoseconds = aligner.startOffsetNanoseconds
        ledger.note(drift: aligner.drift)
        ledger.endOffsetNanoseconds = aligner.offsetNanoseconds
        guard output.written > 0 else { return ledger }
        ledger.firstNanoseconds = 0
        ledger.lastNanoseconds = SampleClock(rate: format.sampleRate).nanoseconds(Int64(output.written) - 1)
        return ledger
    }

    func progress(leftOut: UInt64) -> TrackProgress {
        let level = meter.readTogether()
        return .audio(
            AudioProgress(
                peakDBFS: level.peakDBFS, rmsDBFS: level.rmsDBFS, clipped: level.isClipped,
                frames: output?.written ?? 0, lost: losses.total(of: index), xruns: source.statistics?.xruns ?? 0))
    }

    // MARK: One period

    func writeNext(to writer: any ClipWriter) throws(CaptureError) -> Bool {
        let aligner = aligner ?? begin(writer)
        return try source.takeNext { (header, bytes) throws(CaptureError) in try place(header, bytes, aligner) }
    }

    private func place(_ header: FrameHeader, _ bytes: RawSpan, _ aligner: AudioAligner) throws(CaptureError) {
        if header.lost.total > 0, let output, output.written > 0 {
            try note(device: header.lost.device, ring: header.lost.ring, before: header.flags, at: output)
        }
        let size = format.bytesPerFrame
        let kept = try aligner.place(header, bytes)
        meter.update(with: bytes.extracting(kept.lowerBound * size..<kept.upperBound * size))
    }

    /// Notes a loss before its silence is written. The aligner counts the frames as it fills them in; where the loss ends the
    /// clip it never comes to that, and they are counted here.
    private func note(
        device: UInt64, ring: UInt64, before flags: FrameFlags, at output: AudioTrackWriter
    ) throws(CaptureError) {
        do throws(CaptureError) {
            try losses.note(output.room(for: device + ring), of: index, at: output.nanoseconds)
        } catch {
            losses.count(device: device, ring: ring, before: flags, of: index)
            throw error
        }
    }

    private func begin(_ writer: any ClipWriter) -> AudioAligner {
        let output = AudioTrackWriter(
            format, to: writer, as: index,
            target: clip.duration.map { SampleClock(rate: format.sampleRate).frames($0) },
            silenceMeter: silence.map { SilenceMeter($0, format) })
        let aligner = AudioAligner(output, clip, losses, track: index, clock: source.clock, role: role)
        self.output = output
        self.aligner = aligner
        return aligner
    }
}

extension AudioFormat {
    /// Both, or nothing if there is no device.
    fileprivate func paired(with device: Device?) -> (AudioFormat, Device)? { device.map { (self, $0) } }
}
