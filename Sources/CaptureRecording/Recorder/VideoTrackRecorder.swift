import CaptureEncoding
import CaptureGate
import LinuxSystem

/// Path of a camera into the clip: its frames at the times the device gave them or, in a file of constant rate, each missing
/// one replaced by the next.
///
/// *session-bound*
final class VideoTrackRecorder: TrackRecorder {
    let track: ClipTrack
    let index: Int
    let source: VideoSession.Frames
    private let clip: ClipClock
    private let losses: LossLog
    /// True for a file whose frames have no times.
    private let constantRate: Bool
    /// Duration of a frame, nanoseconds.
    private let frame: Int64
    /// Frames in the clip.
    private var written: UInt64 = 0
    /// Frames among them that replace missing ones.
    private var filled: UInt64 = 0
    /// Presentation time of the first frame, nanoseconds; `nil` before it came.
    private var first: Int64?
    /// Presentation time of the last frame, nanoseconds; -1 without one.
    private var last: Int64 = -1
    private(set) var isComplete = false
    /// Cause under which the current frame counts as lost, although it is in the clip: it shows no scene.
    private var blindness: WritableKeyPath<LostFrames, UInt64>?
    /// Number of consecutive such frames, and the first one's time in the clip.
    private var blind: (since: Int64, frames: UInt64) = (0, 0)
    /// Last frame, repeated to the clip's end if the camera is unplugged; `nil` if nothing needs it.
    private var lastFrame: [UInt8]?
    /// Receives stored frames for the live preview.
    var preview: PreviewSource?
    /// Start of a camera's own stream; `nil` for frames that need no others.
    private let start: KeyFrameStart?

    /// - Parameters:
    ///   - owner: owner of the session.
    ///   - clip: the clip's time.
    ///   - losses: counts frames that were lost.
    ///   - constantRate: true if a file stores no times.
    ///   - mayLeave: true if the clip continues while the camera is missing.
    /// - Returns: `nil` for a closed session.
    init?(
        _ owner: SessionOwner<VideoFormat>, _ clip: ClipClock, _ losses: LossLog, constantRate: Bool, mayLeave: Bool
    ) {
        let opened = owner.session.withLock { session in session?.format.paired(with: session?.device) }
        guard let (format, device) = opened else { return nil }
        track = ClipTrack(.video(format), name: device.name, device: device.id.rawValue)
        index = losses.add(track)
        frame = format.frameRate.frameNanoseconds
        self.clip = clip
        self.losses = losses
        self.constantRate = constantRate
        lastFrame = constantRate && mayLeave ? [] : nil
        start = KeyFrameStart(format, of: device.name)
        let reopening = Reopening<OpenedCamera>()
        source = SessionFrames(owner, clip, rate: format.frameRate.framesPerSecond) {
            (session) throws(CaptureError) in try session?.reattach(by: reopening) ?? false
        }
        if start != nil { source.isKey = format.isKeyFrame }
    }

    var elapsed: Int64 { written == 0 ? 0 : last + frame }

    /// Encodes raw frames as they arrive; the writer gets the images.
    /// - Throws: `.usage` for frames and parameters without a JPEG form.
    func compress(_ parameters: MJPEGParameters) throws(CaptureError) {
        guard let format = track.video, track.isRawVideo else { return }
        source.compressor = try FrameCompressor(format, parameters)
    }

    var writtenTrack: ClipTrack {
        guard let compressor = source.compressor else { return track }
        return ClipTrack(.video(compressor.format), name: track.name, device: track.device)
    }

    func write(to writer: any ClipWriter) throws(CaptureError) -> Bool {
        // Not `&&`: its right side would forget the type of the error.
        if isComplete { return false }
        return try writeNext(to: writer)
    }

    func ledger(counts: EncoderCounts) -> TrackLedger {
        var ledger = TrackLedger(kind: .video, name: track.name, device: track.device)
        let (statistics, damaged) = (source.statistics, losses.damaged(of: index))
        ledger.lost = losses.lost(of: index)
        ledger.lost.empty = min(damaged, statistics?.empty ?? 0)
        ledger.lost.short = min(damaged - ledger.lost.empty, statistics?.short ?? 0)
        ledger.lost.corrupt = damaged - ledger.lost.empty - ledger.lost.short + counts.skipped
        ledger.lost.encoder += counts.late
        ledger.repaired = counts.repaired
        ledger.filled = filled
        ledger.delivered = written - filled - min(counts.leftOut, written - filled)
        ledger.asked = ledger.delivered + ledger.lost.total
        ledger.startOffsetNanoseconds = first ?? 0
        ledger.firstNanoseconds = first
        ledger.lastNanoseconds = written == 0 ? nil : last
        ledger.note(drift: source.clock.drift)
        ledger.priority = statistics?.priority
        ledger.marks = losses.events(of: index)
        return ledger
    }

    func progress(leftOut: UInt64) -> TrackProgress {
        .video(
            VideoProgress(
                frames: written, lost: losses.total(of: index) + leftOut,
                framesPerSecond: elapsed == 0 ? 0 : Double(written) * 1e9 / Double(elapsed)))
    }

    func miss(until nanoseconds: Int64, in writer: any ClipWriter) throws(CaptureError) {
        isComplete = true
        let missing = missing(of: UInt64((nanoseconds + frame / 2) / frame))
        guard missing > 0, written > 0 else { return }
        if case .stalled = source.end {
            losses.count(missing, as: \.stall, of: index)
        } else {
            losses.count(missing, as: \.device, of: index)
        }
        try losses.note(missing, of: index, at: last + frame)
        if let lastFrame {
            try fill(missing, with: lastFrame.span.bytes, writer)
        } else {
            writer.extend(to: nanoseconds)
        }
    }

    // MARK: One frame

    func writeNext(to writer: any ClipWriter) throws(CaptureError) -> Bool {
        try source.takeNext { (header, bytes) throws(CaptureError) in try place(header, bytes, writer) }
    }

    private func place(_ header: FrameHeader, _ bytes: RawSpan, _ writer: any ClipWriter) throws(CaptureError) {
        source.clock.update(header)
        guard let start else {
            _ = try enter(header, bytes, writer)
            return
        }
        switch try start.judge(bytes, header) {
        case .admitted:
            try start.enter(bytes) { (bytes) throws(CaptureError) in try enter(header, bytes, writer) }
        case .waits: _ = try enter(header, bytes, writer, missing: 1)
        case .apart: _ = try enter(header, bytes, writer, missing: 0)
        }
    }

    /// - Parameter missing: frames that the clip lacks without this one, which it can't have; it may end the clip all the same.
    ///   `nil` for one that it can have.
    /// - Returns: true if the clip has the frame.
    private func enter(
        _ header: FrameHeader, _ bytes: RawSpan, _ writer: any ClipWriter, missing: UInt64? = nil
    ) throws(CaptureError) -> Bool {
        if missing == nil { clip.start(at: header.timestamp) }
        guard let captured = clip.captureTime(of: header.timestamp) else { return false }
        let mostLost = clip.cuts.isEmpty ? .max : lostOutsideOfPauses(header.lost.total, before: captured)
        let lost = min(header.lost.total, mostLost)
        // A frame that is stamped a little early belongs after the cut.
        guard let time = clip.cuts.time(of: captured + frame / 2).map({ $0 - frame / 2 }) else {
            if written > 0 { count(lost: header, atMost: mostLost) }
            return false
        }
        guard time > -frame / 2 else { return false }
        if let duration = clip.duration, time >= duration - frame / 2 {
            try complete(header, bytes, writer, places: UInt64((duration + frame / 2) / frame))
            return false
        }
        if let missing {
            try miss(missing, header, atMost: mostLost)
            return false
        }
        if written > 0 {
            count(lost: header, atMost: mostLost)
            // Events are in the clip's order.
            if lost > 0 { try noteBlind() }
            try losses.note(lost, of: index, at: last + frame)
        } else {
            first = max(0, time)
        }
        try look(at: header.flags, max(0, time))
        clip.moments.note(max(0, time), at: header.timestamp)
        try schedule(bytes, writer, at: max(0, time), afterGap: lost > 0)
        return true
    }

    /// Counts a frame that waits for a key frame in mid-clip. It was cut off on purpose, which ends no clip.
    private func miss(_ frames: UInt64, _ header: FrameHeader, atMost most: UInt64) throws(CaptureError) {
        guard written > 0 else { return }
        count(lost: header, atMost: most)
        losses.count(frames, as: \.keyFrame, of: index)
        if losses.policy == .mark {
            try losses.note(min(header.lost.total, most) + frames, of: index, at: last + frame)
        }
    }

    /// Frames lost before a moment of the capture that no pause cuts out.
    private func lostOutsideOfPauses(_ lost: UInt64, before captured: Int64) -> UInt64 {
        let frames = Int64(clamping: min(lost, UInt64(max(0, captured) / frame + 1)))
        let span = captured + frame / 2 - frames * frame..<captured + frame / 2
        return UInt64((clip.cuts.keptTime(of: span) + frame / 2) / frame)
    }

    /// - Parameters:
    ///   - flags: of the frame.
    ///   - time: of the frame in the clip, nanoseconds.
    private func look(at flags: FrameFlags, _ time: Int64) throws(CaptureError) {
        let isCovered = flags.contains(.covered)
        blindness = isCovered ? \.covered : flags.contains(.noSignal) ? \.noSignal : nil
        guard blindness != nil else { return try noteBlind() }
        if blind.frames == 0 { blind.since = time }
        guard losses.policy == .fail else { return }
        try losses.note(1, of: index, at: time, signal: isCovered ? .covered : .noSignal)
    }

    /// Notes all frames in a row without a scene as one event: how many they are is known when the signal is back.
    private func noteBlind() throws(CaptureError) {
        guard blind.frames > 0 else { return }
        defer { blind.frames = 0 }
        try losses.note(blind.frames, of: index, at: blind.since)
    }

    func finish() throws(CaptureError) { try noteBlind() }

    func watchHeld(_ isOn: Bool) {
        source.watch = isOn ? { [unowned self] header, bytes in preview?.take(bytes, at: header.timestamp) } : nil
        preview?.restart()
    }

    /// Ends the track with the frame after the clip's last one: frames missing before it, and only those, are missing at the
    /// clip's end.
    private func complete(
        _ header: FrameHeader, _ bytes: RawSpan, _ writer: any ClipWriter, places: UInt64
    ) throws(CaptureError) {
        isComplete = true
        let missing = missing(of: places)
        if written > 0 { count(lost: header, atMost: missing) }
        if constantRate {
            try fill(missing, with: bytes, writer)
        } else if missing > 0, let duration = clip.duration {
            writer.extend(to: duration)
        }
    }

    /// - Parameter places: frames that the clip has in all.
    private func missing(of places: UInt64) -> UInt64 {
        let reached = written == 0 ? 0 : UInt64((last + frame / 2) / frame) + 1
        return places - min(reached, places)
    }

    private func count(lost header: FrameHeader, atMost most: UInt64) {
        let device = min(header.lost.device, most)
        let ring = min(header.lost.ring, most - device)
        let damaged = min(header.lost.damaged, most - device - ring)
        losses.count(device: device, ring: ring, damaged: damaged, before: header.flags, of: index)
    }

    private func schedule(
        _ bytes: RawSpan, _ writer: any ClipWriter, at time: Int64, afterGap: Bool
    ) throws(CaptureError) {
        guard constantRate else { return try store(bytes, writer, at: max(time, last + 1)) }
        let place = UInt64((time + frame / 2) / frame)
        // Jitter of one frame is not a gap if nothing was lost, and two frames in one place are not an error of the camera.
        guard place + 1 >= written else {
            losses.count(1, as: \.encoder, of: index)
            return
        }
        let missing = place - min(written, place)
        if missing > (afterGap ? 0 : 1) { try fill(missing, with: bytes, writer) }
        try store(bytes, writer, at: Int64(written) * frame)
    }

    private func fill(_ missing: UInt64, with bytes: RawSpan, _ writer: any ClipWriter) throws(CaptureError) {
        guard missing > 0 else { return }
        try writer.fill(bytes, to: index, at: Int64(written) * frame, times: Int(missing))
        written += missing
        last = Int64(written - 1) * frame
        filled += missing
    }

    private func store(_ bytes: RawSpan, _ writer: any ClipWriter, at time: Int64) throws(CaptureError) {
        try writer.write(bytes, to: index, at: time)
        keep(bytes)
        preview?.take(bytes, at: time)
        last = time
        written += 1
        if let blindness {
            losses.count(1, as: blindness, of: index)
            filled += 1
            blind.frames += 1
        }
        // Frames that the encoder can't take are lost as well; the encoder counts them.
        if losses.policy != .fill { try losses.note(leftOut: writer.leftOut(of: index), of: index, at: last) }
    }

    private func keep(_ bytes: RawSpan) {
        guard lastFrame != nil else { return }
        lastFrame?.removeAll(keepingCapacity: true)
        bytes.withUnsafeBytes { lastFrame?.append(contentsOf: $0) }
    }
}

extension VideoFormat {
    /// Both, or nothing if there is no device.
    fileprivate func paired(with device: Device?) -> (VideoFormat, Device)? { device.map { (self, $0) } }
}

/// Source of a recording's live preview: small images of its frames, at a limited rate.
///
/// *session-bound*
final class PreviewSource {
    private let maker: ThumbnailMaker
    private let interval: Int64
    private let show: (Thumbnail) -> Void
    private let now: () -> Int64
    private var next: Int64 = 0

    /// - Parameters:
    ///   - track: whose frames are shown.
    ///   - settings: size and rate.
    ///   - now: clock that measures the cost, nanoseconds.
    ///   - show: gets each image.
    /// - Returns: `nil` for a format that no image can be made of.
    init?(
        _ track: ClipTrack, _ settings: PreviewSettings,
        now: @escaping () -> Int64 = { SystemClock.monotonic.now },
        show: @escaping (Thumbnail) -> Void
    ) {
        guard case .video(let format) = track.media else { return nil }
        let scale = min(
            Double(settings.width) / Double(max(format.width, 1)),
            Double(settings.height) / Double(max(format.height, 1)),
            1)
        let maker = try? ThumbnailMaker(
            format, width: Int(Double(format.width) * scale), height: Int(Double(format.height) * scale))
        guard let maker else { return nil }
        self.maker = maker
        self.show = show
        self.now = now
        interval = settings.interval.nanoseconds
    }

    /// Continues with times that start again.
    func restart() { next = 0 }

    /// Shows a frame, if one is due.
    /// - Parameters:
    ///   - frame: frame as the device delivered it.
    ///   - time: time of the frame in the clip, nanoseconds.
    func take(_ frame: RawSpan, at time: Int64) {
        guard time >= next else { return }
        let begin = now()
        let image = maker.make(of: frame)
        // The recording comes first: a fifth of its thread's time at most.
        next = time + max(interval, 4 * (now() - begin))
        if let image { show(image) }
    }
}
