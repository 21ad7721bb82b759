import CaptureGate

/// Writes until one more frame might make the file larger than it may be.
///
/// *session-bound*
final class LimitedWriter: FailableWriter {
    private let inner: any ClipWriter
    private let most: Int64
    private var forecast: SizeForecast

    /// - Parameter most: bytes of the finished file.
    init(_ inner: any ClipWriter, most: Int64) {
        self.inner = inner
        self.most = most
        forecast = SizeForecast(inner.tracks)
    }

    var format: ClipFormat { inner.format }
    var tracks: [ClipTrack] { inner.tracks }
    var bytesWritten: Int64 { inner.bytesWritten }
    var pendingBytes: Int64 { inner.pendingBytes }
    var failure: CaptureError? { (inner as? any FailableWriter)?.failure }
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

    func finish(ledger: LossLedger, end: EndReason) throws(CaptureError) -> Clip {
        try inner.finish(ledger: ledger, end: end)
    }

    func discard() { inner.discard() }

    /// The size it would have if it were finished now, at most.
    private var finished: Int64 { inner.bytesWritten + inner.pendingBytes }
}
