import CaptureEncoding
import CaptureGate

/// Writer of a clip in several files, one after another, cut at the same moment in each track: to the sample in audio, and before
/// the next video frame, which is a key frame.
///
/// A camera's own stream is cut only at its own key frames. So the first such camera decides: a segment that is due ends with that
/// camera's next key frame, and audio that is ahead of it waits in memory. Any other such camera changes files at one of its own
/// key frames.
///
/// Tracks arrive unevenly, so two files are open around a cut. Each is finished when no track has more frames for it.
///
/// *session-bound*
final class SegmentedWriter: ClipWriter {
    typealias Opening = (_ number: Int) throws(CaptureError) -> any ClipWriter

    let format: ClipFormat
    let tracks: [ClipTrack]

    let path: String
    let finishing: FinishingQueue
    private let limits: SegmentLimits
    private let open: Opening
    private var forecast: SizeForecast
    /// Open segments, the oldest first.
    var segments: [OpenSegment] = []
    private var cursors: [SegmentCursor]
    /// Index of the camera whose key frames end segments; `nil` if any frame may.
    private let keyTrack: Int?
    /// Audio after a segment's due end, until a key frame ends it.
    private var heldAudio: [HeldAudio] = []
    var finished = FinishedSegments()
    /// Error for which it takes no more frames.
    var failure: CaptureError?
    /// Ledger of the whole clip when the last segment was finished: a segment's own is the difference.
    var ledgerBefore = LossLedger()

    /// Maximum number of open segments: a track that is further behind only has silence to write, for a device that was missing.
    private static let mostOpen = 16
    /// Maximum bytes of audio that wait for a key frame; beyond that the segment continues.
    private static let mostHeld = 32 << 20

    private struct HeldAudio {
        let track: Int
        let bytes: [UInt8]
        let time: Int64
    }

    /// - Parameters:
    ///   - format: of each file.
    ///   - tracks: of the clip.
    ///   - path: name of the whole.
    ///   - limits: of each file.
    ///   - finishing: gives the files their names.
    ///   - open: opens the writer of the nth segment, 1 upwards.
    init(
        _ format: ClipFormat, tracks: [ClipTrack], path: String, limits: SegmentLimits, finishing: FinishingQueue,
        open: @escaping Opening
    ) throws(CaptureError) {
        self.format = format
        self.tracks = tracks
        self.path = path
        self.limits = limits
        self.finishing = finishing
        self.open = open
        forecast = SizeForecast(tracks)
        cursors = Array(repeating: SegmentCursor(), count: tracks.count)
        keyTrack = tracks.firstIndex { $0.video?.pixelFormat.isPredicted ?? false }
        finished.counts = Array(repeating: EncoderCounts(), count: tracks.count)
        segments = [try segment(1, from: 0)]
    }

    var bytesWritten: Int64 { segments.reduce(finished.bytes) { $0 + $1.writer.bytesWritten } }
    var pendingBytes: Int64 { segments.reduce(0) { $0 + $1.writer.pendingBytes } }

    func counts(of track: Int) -> EncoderCounts {
        segments.reduce(finished.counts[track]) { $0 + $1.writer.counts(of: track) }
    }

    func write(_ data: RawSpan, to track: Int, at nanoseconds: Int64) throws(CaptureError) {
        try checkTrack(track)
        // A file that can't have its name ends the clip, or what of several outputs goes here.
        if let failure = failure ?? finishing.failure { throw failure }
        let before = bytesWritten + pendingBytes
        let number = segments.last?.number
        let isKey = tracks[track].video?.isKeyFrame(data) ?? false
        switch tracks[track].media {
        case .audio(let format):
            if try !hold(data, format, track, at: nanoseconds) { try write(data, format, track, at: nanoseconds) }
        case .video(let format):
            if track == keyTrack, isKey { try cutIfDue(at: nanoseconds, lasting: format.frameRate.frameNanoseconds) }
            try write(data, track, at: nanoseconds, lasting: format.frameRate.frameNanoseconds, mayChange: isKey)
        }
        // The end of one segment and the head of the next are no frame's.
        if segments.last?.number == number {
            try note(bytesWritten + pendingBytes - before, of: track, beginsGroup: isKey || track != keyTrack)
        }
        cutBySize()
    }

    /// Notes the size of a write, for the forecast.
    /// - Throws: ``CaptureError/sizeReached`` where files of the greatest size would have one frame each.
    private func note(_ growth: Int64, of track: Int, beginsGroup: Bool) throws(CaptureError) {
        if let most = limits.bytes, growth > most, tracks[track].video != nil, forecast.isNew(track) {
            failure = .sizeReached
            throw .sizeReached
        }
        forecast.note(growth, of: track, beginsGroup: beginsGroup)
    }

    // MARK: Audio and video

    private func write(
        _ data: RawSpan, _ format: AudioFormat, _ track: Int, at nanoseconds: Int64
    ) throws(CaptureError) {
        let time = SampleClock(rate: format.sampleRate)
        let count = UInt64(try format.frames(in: data))
        var position = cursors[track].frames ?? time.frames(nanoseconds)
        let end = position + count
        while position < end {
            let segment = segments[cursors[track].segment - segments[0].number]
            let last = segment.end.map { time.frames($0) } ?? .max
            if position >= last {
                try advance(track)
                continue
            }
            let piece = min(end, last) - position
            let first = time.frames(segment.start)
            if position >= first {
                let start = Int(count - (end - position)) * format.bytesPerFrame
                let bytes = data.extracting(start..<start + Int(piece) * format.bytesPerFrame)
                try segment.write(
                    bytes, to: track, at: time.nanoseconds(Int64(position)) - segment.start, frames: piece)
            }
            position += piece
            cursors[track].note(position, time.nanoseconds(Int64(position)))
        }
    }

    private func write(
        _ data: RawSpan, _ track: Int, at nanoseconds: Int64, lasting frame: Int64, mayChange: Bool
    ) throws(CaptureError) {
        var segment = segments[cursors[track].segment - segments[0].number]
        // A frame that is stamped a little early belongs after the cut.
        while mayChange, let end = segment.end, nanoseconds + frame / 2 >= end {
            try advance(track)
            segment = segments[cursors[track].segment - segments[0].number]
        }
        guard nanoseconds + frame / 2 >= segment.start else { return }
        try segment.write(data, to: track, at: nanoseconds - segment.start, frames: 1)
        cursors[track].note(nil, nanoseconds + frame)
    }

    // MARK: Cuts

    private func segment(_ number: Int, from start: Int64) throws(CaptureError) -> OpenSegment {
        let writer = try open(number)
        let due = start + limits.duration
        return OpenSegment(number: number, start: start, end: keyTrack == nil ? due : nil, due: due, writer: writer)
    }

    /// Moves a track on to the next segment, which is opened for the first of them.
    private func advance(_ track: Int) throws(CaptureError) {
        let next = cursors[track].segment + 1
        if let last = segments.last, let end = last.end, next > last.number { try append(next, from: end) }
        cursors[track].segment = next
        if segments.count > Self.mostOpen {
            let oldest = segments[1].number
            for index in cursors.indices { cursors[index].segment = max(cursors[index].segment, oldest) }
            try finishFirst(.complete, ledgerBefore)
        }
    }

    /// Opens the next segment. If that fails no more frames are accepted: later ones belong into a segment that does not exist.
    private func append(_ number: Int, from start: Int64) throws(CaptureError) {
        do throws(CaptureError) {
            segments.append(try segment(number, from: start))
        } catch {
            failure = error
            throw error
        }
    }

    /// True once no track has more frames for the oldest open segment.
    var isSegmentOver: Bool {
        segments.count > 1 && cursors.allSatisfy { $0.segment > segments[0].number }
    }

    /// Cuts at the end of the track that is ahead, so that all others can still be cut there.
    private func cutBySize() {
        guard let most = limits.bytes, let segment = segments.last else { return }
        let reached = cursors.map(\.time).max() ?? 0
        guard reached > segment.start, segment.end.map({ $0 > reached }) ?? true else { return }
        let size = segment.writer.bytesWritten + segment.writer.pendingBytes + mostLag(until: reached, in: segment)
        guard size + 2 * forecast.mostOfAll > most else { return }
        segment.due = min(segment.due, reached)
        if keyTrack == nil { segment.end = reached }
    }

    /// Ends the segment with a key frame that arrives when it is due.
    private func cutIfDue(at nanoseconds: Int64, lasting frame: Int64) throws(CaptureError) {
        guard let segment = segments.last, segment.end == nil, nanoseconds + frame / 2 >= segment.due else { return }
        segment.end = nanoseconds
        try writeHeld()
    }

    /// Keeps audio that may belong after a cut which is not decided yet.
    /// - Returns: false for audio that can be written.
    private func hold(
        _ data: RawSpan, _ format: AudioFormat, _ track: Int, at nanoseconds: Int64
    ) throws(CaptureError) -> Bool {
        guard keyTrack != nil, let segment = segments.last, segment.end == nil else { return false }
        let end = nanoseconds + format.nanoseconds(ofFrames: Int64(try format.frames(in: data)))
        guard end > segment.due || heldAudio.contains(where: { $0.track == track }) else { return false }
        heldAudio.append(HeldAudio(track: track, bytes: data.withUnsafeBytes { Array($0) }, time: nanoseconds))
        if heldAudio.reduce(0, { $0 + $1.bytes.count }) > Self.mostHeld { try writeHeld() }
        return true
    }

    /// Writes the audio that waited, where the segments are by now.
    private func writeHeld() throws(CaptureError) {
        let held = heldAudio
        heldAudio = []
        for audio in held {
            guard let format = tracks[audio.track].audio else { continue }
            try write(audio.bytes.span.bytes, format, audio.track, at: audio.time)
        }
    }

    /// Bytes that late tracks may still add, such as silence for a microphone that was missing.
    private func mostLag(until reached: Int64, in segment: OpenSegment) -> Int64 {
        cursors.indices.reduce(0) { bytes, track in
            bytes + forecast.most(lasting: reached - max(cursors[track].time, segment.start), of: track)
        }
    }
}

extension SegmentedWriter {
    func extend(to nanoseconds: Int64) {
        guard let segment = segments.last else { return }
        segment.writer.extend(to: nanoseconds - segment.start)
    }

    func add(_ chapter: ClipChapter) {
        let time = chapter.at.exactNanoseconds
        guard let segment = segments.last(where: { $0.start <= time }) ?? segments.first else { return }
        segment.writer.add(ClipChapter(at: .nanoseconds(max(0, time - segment.start)), title: chapter.title))
    }

    func finish(ledger: LossLedger, end: EndReason) throws(CaptureError) -> Clip {
        do throws(CaptureError) { try writeHeld() } catch { failure = failure ?? error }
        while !segments.isEmpty {
            do throws(CaptureError) {
                try segments.count > 1 ? finishFirst(.complete, ledger) : finishLast(end, ledger)
            } catch {
                // The disk had no space for its first frame; the earlier files are a valid clip.
                failure = failure ?? error
            }
        }
        finishing.wait()
        if let failure = finishing.failure { throw failure }
        if let failure, finished.segments.isEmpty { throw failure }
        let end = failure.map { EndReason(ofOutput: $0) } ?? end
        return Clip(
            path: path, format: format, duration: .nanoseconds(finished.end), bytes: finished.bytes, tracks: tracks,
            ledger: end == .diskFull || end == .failure ? ledger.fitted(to: finished.kept) : ledger, end: end,
            segments: finishing.present(finished.segments))
    }

    /// Finishes the last segment. If it has no frame, and there are others, it would be an empty file.
    private func finishLast(_ reason: EndReason, _ ledger: LossLedger) throws(CaptureError) {
        guard finished.segments.isEmpty || segments[0].frames.contains(where: { $0 > 0 }) else {
            return segments.removeFirst().writer.discard()
        }
        try finishFirst(reason, ledger)
    }

    func discard() {
        for segment in segments { segment.writer.discard() }
    }

    func finishSegments(_ ledger: () -> LossLedger) throws(CaptureError) {
        while isSegmentOver { try finishFirst(.complete, ledger()) }
    }

    /// Finishes the oldest open segment.
    /// - Parameters:
    ///   - reason: of the segment's end.
    ///   - now: ledger of the whole clip.
    func finishFirst(_ reason: EndReason, _ now: LossLedger) throws(CaptureError) {
        let segment = segments.removeFirst()
        if !segments.isEmpty, let end = segment.end { segment.writer.extend(to: end - segment.start) }
        let clip = try segment.writer.finish(ledger: ledger(of: segment, now), end: reason)
        // A file that had no room for its last frames is whole without, and there is a hole before the next.
        if clip.end != reason { failure = failure ?? segment.writer.failure }
        finished.add(clip, of: segment)
        if let last = finished.segments.last { finishing.tell(last) }
    }

    /// Ledger of the frames since the segment before.
    private func ledger(of segment: OpenSegment, _ now: LossLedger) -> LossLedger {
        defer { ledgerBefore = now }
        let before = ledgerBefore.tracks
        return LossLedger(
            tracks: now.tracks.enumerated().map { index, track in
                track.since(before.indices.contains(index) ? before[index] : nil, in: segment, of: tracks[index], index)
            },
            pauses: now.pauses.filter {
                $0.atNanoseconds >= segment.start && $0.atNanoseconds < segment.end ?? .max
            }.map { $0.since(segment.start) })
    }
}

extension TrackLedger {
    /// Ledger of one track in one segment.
    /// - Parameters:
    ///   - before: ledger when the segment before was finished; `nil` for the first.
    ///   - segment: that is finished.
    ///   - track: of the clip.
    ///   - index: of the track.
    fileprivate func since(
        _ before: TrackLedger?, in segment: OpenSegment, of track: ClipTrack, _ index: Int
    ) -> TrackLedger {
        var ledger = self
        let frames = segment.frames[index]
        if let before {
            ledger.lost -= before.lost
            ledger.xruns -= min(xruns, before.xruns)
            ledger.repaired -= min(repaired, before.repaired)
            ledger.filled -= min(filled, before.filled)
            ledger.corrected -= before.corrected
            ledger.startOffsetNanoseconds = 0
        }
        ledger.filled = min(ledger.filled, frames)
        // The file's count is exact; the number of resampled frames is known only for whole periods.
        ledger.corrected = min(ledger.corrected, Int64(frames - ledger.filled))
        ledger.delivered = UInt64(Int64(frames - ledger.filled) - ledger.corrected)
        ledger.asked = ledger.delivered + ledger.lost.total
        ledger.marks = marks?.filter { $0.atNanoseconds >= segment.start && $0.atNanoseconds < segment.end ?? .max }
            .map { $0.since(segment.start) }
        ledger.firstNanoseconds = segment.firstTime[index]
        ledger.lastNanoseconds = segment.lastTime[index]
        return ledger
    }
}

/// Place of a track in the segments of a clip.
struct SegmentCursor {
    /// Number of the segment for its next frame, unless that frame is after the segment's end.
    var segment = 1
    /// Audio frames from the clip's start; `nil` for video.
    private(set) var frames: UInt64?
    /// Time from the clip's start to the end of its last frame, nanoseconds.
    private(set) var time: Int64 = 0

    mutating func note(_ frames: UInt64?, _ time: Int64) {
        self.frames = frames
        self.time = time
    }
}

/// Limits of a segment.
struct SegmentLimits: Sendable {
    /// Length, nanoseconds.
    let duration: Int64
    let bytes: Int64?
}
