import CaptureEncoding
import CaptureGate

/// Writer that ends before one more frame might make the file larger than allowed.
///
/// *session-bound*
final class LimitedWriter: ClipWriter {
    private let inner: any ClipWriter
    private let most: Int64
    private var forecast: SizeForecast

    /// - Parameters:
    ///   - inner: does the writing.
    ///   - most: bytes of the finished file.
    init(_ inner: any ClipWriter, most: Int64) {
        self.inner = inner
        self.most = most
        forecast = SizeForecast(inner.tracks)
    }

    var format: ClipFormat { inner.format }
    var tracks: [ClipTrack] { inner.tracks }
    var bytesWritten: Int64 { inner.bytesWritten }
    var pendingBytes: Int64 { inner.pendingBytes }
    var failure: CaptureError? { inner.failure }
    func counts(of track: Int) -> EncoderCounts { inner.counts(of: track) }

    /// - Throws: ``CaptureError/sizeReached``, with nothing written.
    func write(_ data: RawSpan, to track: Int, at nanoseconds: Int64) throws(CaptureError) {
        try checkTrack(track)
        let before = finished
        guard before + forecast.most(data.byteCount, of: track) <= most else { throw .sizeReached }
        try inner.write(data, to: track, at: nanoseconds)
        forecast.note(finished - before, of: track)
    }

    /// - Throws: as `write(_:to:at:)`.
    func fill(_ data: RawSpan, to track: Int, at nanoseconds: Int64, times: Int) throws(CaptureError) {
        try checkTrack(track)
        let before = finished
        guard before + forecast.most(data.byteCount, of: track) * Int64(times) <= most else { throw .sizeReached }
        try inner.fill(data, to: track, at: nanoseconds, times: times)
        forecast.note((finished - before) / Int64(max(times, 1)), of: track)
    }

    func extend(to nanoseconds: Int64) { inner.extend(to: nanoseconds) }

    func add(_ chapter: ClipChapter) { inner.add(chapter) }

    func finish(ledger: LossLedger, end: EndReason) throws(CaptureError) -> Clip {
        try inner.finish(ledger: ledger, end: end)
    }

    func discard() { inner.discard() }

    /// Size that it would have if it were finished now, at most.
    private var finished: Int64 { inner.bytesWritten + inner.pendingBytes }
}

/// Forecast of the bytes that a track's next write may add to a file, from those that earlier ones added.
struct SizeForecast {
    private let tracks: [ClipTrack]
    /// Maximum bytes that one write added so far, for each track.
    private var largest: [Int64]
    /// Bytes that each track's writes since a possible cut added.
    private var group: [Int64]

    init(_ tracks: [ClipTrack]) {
        self.tracks = tracks
        largest = Array(repeating: 0, count: tracks.count)
        group = largest
    }

    /// Notes what a write added.
    /// - Parameter beginsGroup: false for a frame ahead of which no file can be cut: it counts together with those before it.
    mutating func note(_ growth: Int64, of track: Int, beginsGroup: Bool = true) {
        group[track] = beginsGroup ? growth : group[track] + growth
        largest[track] = max(largest[track], group[track])
    }

    /// True before anything of the track was noted.
    func isNew(_ track: Int) -> Bool { largest[track] == 0 }

    /// Maximum bytes that a write may add.
    /// - Parameters:
    ///   - byteCount: size of the data to be written.
    ///   - track: index in the clip.
    func most(_ byteCount: Int, of track: Int) -> Int64 {
        let bytes = Int64(byteCount)
        guard tracks[track].video != nil else { return bytes + bytes / 8 + 512 }
        if largest[track] > 0 { return largest[track] * 3 / 2 + 8192 }
        return tracks[track].isRawVideo ? bytes / 4 : bytes + 8192
    }

    /// Maximum bytes that audio of a length may add; 0 for video, as a missing camera adds no frames.
    func most(lasting nanoseconds: Int64, of track: Int) -> Int64 {
        guard let audio = tracks[track].audio, nanoseconds > 0 else { return 0 }
        let bytes = tracks[track].frames(lasting: nanoseconds) * Int64(audio.bytesPerFrame)
        return bytes + bytes / 8
    }

    /// Maximum bytes that one more write of each track may add.
    var mostOfAll: Int64 { largest.reduce(0) { $0 + $1 * 3 / 2 + 8192 } }
}
