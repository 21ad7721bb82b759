import CaptureGate

/// Stores a clip in several files, one after the other, cut at the same moment in each track: to the sample in sound, and
/// before the next picture, which is a key frame.
///
/// The tracks come unevenly, so two files are open around a cut. Each is finished when no track has more for it.
///
/// *session-bound*
final class SegmentedWriter: PartsWriter, FailableWriter {
    typealias Opening = (_ number: Int) throws(CaptureError) -> any ClipWriter

    let format: ClipFormat
    let tracks: [ClipTrack]

    let path: String
    let finishing: FinishingQueue
    private let limits: PartLimits
    private let open: Opening
    private var forecast: SizeForecast
    /// The open ones, the oldest first.
    var parts: [OpenPart] = []
    private var cursors: [TrackCursor]
    var finished = FinishedParts()
    /// Why it takes no more.
    var failure: CaptureError?
    /// Of the whole clip, when the last part was finished.
    var ledgerBefore = LossLedger()

    /// A track that is so far behind has nothing but silence to give for a device that was away.
    private static let mostOpen = 16

    /// - Parameters:
    ///   - path: what the whole is called.
    ///   - finishing: gives the files their names.
    ///   - open: opens the nth part, 1 upwards.
    init(
        _ format: ClipFormat, tracks: [ClipTrack], path: String, limits: PartLimits, finishing: FinishingQueue,
        open: @escaping Opening
    ) throws(CaptureError) {
        self.format = format
        self.tracks = tracks
        self.path = path
        self.limits = limits
        self.finishing = finishing
        self.open = open
        forecast = SizeForecast(tracks)
        cursors = Array(repeating: TrackCursor(), count: tracks.count)
        finished.counts = Array(repeating: EncoderCounts(), count: tracks.count)
        parts = [try part(1, from: 0)]
    }

    var bytesWritten: Int64 { parts.reduce(finished.bytes) { $0 + $1.writer.bytesWritten } }
    var pendingBytes: Int64 { parts.reduce(0) { $0 + $1.writer.pendingBytes } }

    func counts(of track: Int) -> EncoderCounts {
        parts.reduce(finished.counts[track]) { $0 + $1.writer.counts(of: track) }
    }

    func write(_ data: RawSpan, to track: Int, at nanoseconds: Int64) throws(CaptureError) {
        try checkTrack(track)
        // A file that can't have its name ends the clip, or what of several outputs goes here.
        if let failure = failure ?? finishing.failure { throw failure }
        let before = bytesWritten + pendingBytes
        let number = parts.last?.number
        switch tracks[track].media {
        case .audio(let format): try write(data, format, track, at: nanoseconds)
        case .video(let format): try write(data, track, at: nanoseconds, lasting: format.frameRate.frameNanoseconds)
        }
        // The end of one part and the head of the next are no frame's.
        if parts.last?.number == number { try note(bytesWritten + pendingBytes - before, of: track) }
        cutBySize()
    }

    /// - Throws: ``CaptureError/sizeReached`` where files of that size would have a picture each.
    private func note(_ growth: Int64, of track: Int) throws(CaptureError) {
        if let most = limits.bytes, growth > most, tracks[track].video != nil, forecast.isNew(track) {
            failure = .sizeReached
            throw .sizeReached
        }
        forecast.note(growth, of: track)
    }

    // MARK: Sound and pictures

    private func write(
        _ data: RawSpan, _ format: AudioFormat, _ track: Int, at nanoseconds: Int64
    ) throws(CaptureError) {
        let time = SoundTime(rate: format.sampleRate)
        let count = UInt64(try format.frames(in: data))
        var position = cursors[track].frames ?? time.frames(nanoseconds)
        let end = position + count
        while position < end {
            let part = parts[cursors[track].part - parts[0].number]
            let last = part.end.map { time.frames($0) } ?? .max
            if position >= last {
                try advance(track)
                continue
            }
            let piece = min(end, last) - position
            let first = time.frames(part.start)
            if position >= first {
                let start = Int(count - (end - position)) * format.bytesPerFrame
                let bytes = data.extracting(start..<start + Int(piece) * format.bytesPerFrame)
                try part.write(bytes, to: track, at: time.nanoseconds(position) - part.start, frames: piece)
            }
            position += piece
            cursors[track].note(position, time.nanoseconds(position))
        }
    }

    private func write(
        _ data: RawSpan, _ track: Int, at nanoseconds: Int64, lasting frame: Int64
    ) throws(CaptureError) {
        var part = parts[cursors[track].part - parts[0].number]
        // One that is stamped a little early belongs behind the cut.
        while let end = part.end, nanoseconds + frame / 2 >= end {
            try advance(track)
            part = parts[cursors[track].part - parts[0].number]
        }
        guard nanoseconds + frame / 2 >= part.start else { return }
        try part.write(data, to: track, at: nanoseconds - part.start, frames: 1)
        cursors[track].note(nil, nanoseconds + frame)
    }

    // MARK: Cuts

    private func part(_ number: Int, from start: Int64) throws(CaptureError) -> OpenPart {
        let writer = try open(number)
        return OpenPart(number: number, start: start, end: start + limits.duration, writer: writer)
    }

    /// The track has reached the end of its part.
    private func advance(_ track: Int) throws(CaptureError) {
        let next = cursors[track].part + 1
        if let last = parts.last, let end = last.end, next > last.number { try append(next, from: end) }
        cursors[track].part = next
        if parts.count > Self.mostOpen {
            let oldest = parts[1].number
            for index in cursors.indices { cursors[index].part = max(cursors[index].part, oldest) }
            try finishFirst(.complete, ledgerBefore)
        }
    }

    /// Where that fails nothing more is taken: what comes later belongs into a part that is not there.
    private func append(_ number: Int, from start: Int64) throws(CaptureError) {
        do throws(CaptureError) {
            parts.append(try part(number, from: start))
        } catch {
            failure = error
            throw error
        }
    }

    /// Whether no track has more for the oldest open part.
    var isPartOver: Bool { parts.count > 1 && cursors.allSatisfy { $0.part > parts[0].number } }

    /// Cuts where the track that is ahead has come to, so that all the others still can.
    private func cutBySize() {
        guard let most = limits.bytes, let part = parts.last else { return }
        let reached = cursors.map(\.time).max() ?? 0
        guard reached > part.start, part.end.map({ $0 > reached }) ?? true else { return }
        let size = part.writer.bytesWritten + part.writer.pendingBytes + mostLag(until: reached, in: part)
        if size + 2 * forecast.mostOfAll > most { part.end = reached }
    }

    /// What the tracks that are behind may still put into it, such as silence for a microphone that was away.
    private func mostLag(until reached: Int64, in part: OpenPart) -> Int64 {
        cursors.indices.reduce(0) { $0 + forecast.most(lasting: reached - max(cursors[$1].time, part.start), of: $1) }
    }
}
