import CaptureGate

/// A camera's way into the clip: its pictures at the times the device gave them, or, in a file of constant rate, each
/// missing one replaced by the next.
final class VideoLane: Lane {
    let track: ClipTrack
    let source: VideoSession.Frames
    private let timeline: Timeline
    private let constantRate: Bool
    private let frame: Int64
    private var written: UInt64 = 0
    private var count: TrackLedger
    private var last: Int64 = -1
    private var damaged: UInt64 = 0
    /// Pictures that the encoder had not taken, when last asked.
    private var leftOut: UInt64 = 0
    /// In the clip.
    private var index = 0
    private(set) var isComplete = false
    /// What pictures count as that show nothing true: in the clip they stand for what is missing.
    private var blindness: WritableKeyPath<LostFrames, UInt64>?
    /// Such pictures in turn, and where in the clip they begin.
    private var blind: (since: Int64, pictures: UInt64) = (0, 0)
    /// What stands still where the clip ends while the camera is away; `nil` where there is no need of one.
    private var lastPicture: [UInt8]?
    /// Who wants to look on.
    var preview: PreviewSource?

    /// - Parameter mayLeave: whether the clip goes on while the camera is away.
    init(
        _ session: consuming VideoSession, _ timeline: Timeline, constantRate: Bool, mayLeave: Bool,
        back: Handoff<VideoSession>
    ) {
        let device = session.device
        let rate = session.format.frameRate
        track = ClipTrack(.video(session.format), name: device.name, device: device.id.rawValue)
        count = TrackLedger(kind: .video, name: device.name, device: device.id.rawValue)
        frame = rate.frameNanoseconds
        self.timeline = timeline
        self.constantRate = constantRate
        lastPicture = constantRate && mayLeave ? [] : nil
        let reopening = Reopening<OpenedCamera>()
        source = SessionFrames(session, timeline, rate: rate.framesPerSecond, back: back) {
            (session) throws(CaptureError) in try session?.reattach(by: reopening) ?? false
        }
    }

    var elapsed: Int64 { written == 0 ? 0 : last + frame }

    /// Has raw pictures encoded as they come; the writer gets the images.
    /// - Throws: `.usage` for pictures and parameters that there can be no JPEG of.
    func compress(_ parameters: MJPEGParameters) throws(CaptureError) {
        guard let format = track.video, !format.pixelFormat.isCompressed else { return }
        source.compressor = try PictureCompressor(format, parameters)
    }

    var writtenTrack: ClipTrack {
        guard let compressor = source.compressor else { return track }
        return ClipTrack(.video(compressor.format), name: track.name, device: track.device)
    }

    func write(to writer: any ClipWriter, as track: Int) throws(CaptureError) -> Bool {
        // Not `&&`: its right side would forget the type of the error.
        if isComplete { return false }
        return try writeNext(to: writer, as: track)
    }

    func ledger(counts: EncoderCounts) -> TrackLedger {
        var ledger = count
        let statistics = source.statistics
        ledger.lost.empty = min(damaged, statistics?.empty ?? 0)
        ledger.lost.short = min(damaged - ledger.lost.empty, statistics?.short ?? 0)
        ledger.lost.corrupt = damaged - ledger.lost.empty - ledger.lost.short + counts.skipped
        ledger.repaired = counts.repaired
        ledger.delivered = written - count.filled - min(counts.skipped, written - count.filled)
        ledger.asked = ledger.delivered + ledger.lost.total
        ledger.lastNanoseconds = written == 0 ? nil : last
        ledger.note(drift: source.clock.drift)
        ledger.priority = statistics?.priority
        ledger.marks = timeline.losses.marks(of: index)
        return ledger
    }

    /// - Parameter leftOut: pictures that the writer could not store.
    func progress(leftOut: UInt64) -> VideoProgress {
        VideoProgress(
            frames: written, lost: count.lost.total + damaged + leftOut,
            framesPerSecond: elapsed == 0 ? 0 : Double(written) * 1e9 / Double(elapsed))
    }

    func miss(until nanoseconds: Int64, in writer: any ClipWriter, as track: Int) throws(CaptureError) {
        isComplete = true
        let missing = missing(of: UInt64((nanoseconds + frame / 2) / frame))
        guard missing > 0, written > 0 else { return }
        if case .stalled = source.end { count.lost.stall += missing } else { count.lost.device += missing }
        try timeline.losses.note(missing, of: self.track, track, at: last + frame)
        if let lastPicture {
            try fill(missing, with: lastPicture.span.bytes, writer, track)
        } else {
            writer.extend(to: nanoseconds)
        }
    }

    // MARK: One picture

    func writeNext(to writer: any ClipWriter, as track: Int) throws(CaptureError) -> Bool {
        try source.takeNext { (header, bytes) throws(CaptureError) in try place(header, bytes, writer, track) }
    }

    private func place(
        _ header: FrameHeader, _ bytes: RawSpan, _ writer: any ClipWriter, _ track: Int
    ) throws(CaptureError) {
        source.clock.update(header)
        timeline.start(at: header.timestamp)
        guard let time = timeline.time(of: header.timestamp) else { return }
        guard time > -frame / 2 else { return }
        if let duration = timeline.duration, time >= duration - frame / 2 {
            try complete(header, bytes, writer, track, places: UInt64((duration + frame / 2) / frame))
            return
        }
        if written > 0 {
            note(lost: header, atMost: .max)
            // Marks stand in the clip's order.
            if header.lost.total > 0 { try noteBlind() }
            try timeline.losses.note(header.lost.total, of: self.track, track, at: last + frame)
        } else {
            begin(at: time, as: track)
        }
        try look(at: header.flags, max(0, time))
        try schedule(bytes, writer, track, at: max(0, time), afterGap: header.lost.total > 0)
    }

    /// - Parameter time: where in the clip the picture is, ns.
    private func look(at flags: FrameFlags, _ time: Int64) throws(CaptureError) {
        let isCovered = flags.contains(.covered)
        blindness = isCovered ? \.covered : flags.contains(.noSignal) ? \.noSignal : nil
        guard blindness != nil else { return try noteBlind() }
        if blind.pictures == 0 { blind.since = time }
        guard timeline.losses.policy == .fail else { return }
        try timeline.losses.note(1, of: track, index, at: time, signal: isCovered ? .covered : .noSignal)
    }

    /// One mark for all in turn: how many they are is known when the signal is back.
    private func noteBlind() throws(CaptureError) {
        guard blind.pictures > 0 else { return }
        defer { blind.pictures = 0 }
        try timeline.losses.note(blind.pictures, of: track, index, at: blind.since)
    }

    func finish() throws(CaptureError) { try noteBlind() }

    /// The picture after the clip's last one: what is missing before it, and only that, is missing at the clip's end.
    private func complete(
        _ header: FrameHeader, _ bytes: RawSpan, _ writer: any ClipWriter, _ track: Int, places: UInt64
    ) throws(CaptureError) {
        isComplete = true
        let missing = missing(of: places)
        if written > 0 { note(lost: header, atMost: missing) }
        if constantRate {
            try fill(missing, with: bytes, writer, track)
        } else if missing > 0, let duration = timeline.duration {
            writer.extend(to: duration)
        }
    }

    /// - Parameter places: of all the clip's pictures.
    private func missing(of places: UInt64) -> UInt64 {
        let reached = written == 0 ? 0 : UInt64((last + frame / 2) / frame) + 1
        return places - min(reached, places)
    }

    private func begin(at time: Int64, as track: Int) {
        index = track
        count.startOffsetNanoseconds = max(0, time)
        count.firstNanoseconds = max(0, time)
    }

    private func note(lost header: FrameHeader, atMost most: UInt64) {
        let device = min(header.lost.device, most)
        let ring = min(header.lost.ring, most - device)
        count.lost.add(device, before: header.flags)
        count.lost.ring += ring
        damaged += min(header.lost.damaged, most - device - ring)
    }

    private func schedule(
        _ bytes: RawSpan, _ writer: any ClipWriter, _ track: Int, at time: Int64, afterGap: Bool
    ) throws(CaptureError) {
        guard constantRate else { return try store(bytes, writer, track, at: max(time, last + 1)) }
        let place = UInt64((time + frame / 2) / frame)
        // One frame's jitter is no gap where nothing was lost, and two pictures in one place are not an error of the camera's.
        guard place + 1 >= written else {
            count.lost.encoder += 1
            return
        }
        let missing = place - min(written, place)
        if missing > (afterGap ? 0 : 1) { try fill(missing, with: bytes, writer, track) }
        try store(bytes, writer, track, at: Int64(written) * frame)
    }

    private func fill(
        _ missing: UInt64, with bytes: RawSpan, _ writer: any ClipWriter, _ track: Int
    ) throws(CaptureError) {
        guard missing > 0 else { return }
        try writer.fill(bytes, to: track, at: Int64(written) * frame, times: Int(missing))
        written += missing
        last = Int64(written - 1) * frame
        count.filled += missing
    }

    private func store(
        _ bytes: RawSpan, _ writer: any ClipWriter, _ track: Int, at time: Int64
    ) throws(CaptureError) {
        try writer.write(bytes, to: track, at: time)
        keep(bytes)
        preview?.take(bytes, at: time)
        last = time
        written += 1
        if let blindness {
            count.lost[keyPath: blindness] += 1
            count.filled += 1
            blind.pictures += 1
        }
        try noteLeftOut(writer, track)
    }

    private func keep(_ bytes: RawSpan) {
        guard lastPicture != nil else { return }
        lastPicture?.removeAll(keepingCapacity: true)
        bytes.withUnsafeBytes { lastPicture?.append(contentsOf: $0) }
    }

    /// What the encoder can't take is lost as well.
    private func noteLeftOut(_ writer: any ClipWriter, _ track: Int) throws(CaptureError) {
        guard timeline.losses.policy != .fill else { return }
        let before = leftOut
        leftOut = writer.leftOut(of: track)
        try timeline.losses.note(leftOut - min(before, leftOut), of: self.track, track, at: last)
    }
}
