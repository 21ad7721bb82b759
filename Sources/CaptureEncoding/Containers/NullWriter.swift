import CaptureGate

/// Counts what comes and keeps nothing.
///
/// *session-bound*
final class NullWriter: ClipWriter {
    let format = ClipFormat.nothing
    let tracks: [ClipTrack]
    private(set) var bytesWritten: Int64 = 0

    private let destination: ClipDestination
    private var counted: [EncoderCounts]
    private var end: Int64 = 0

    func extend(to nanoseconds: Int64) { end = max(end, nanoseconds) }

    init(output: consuming ClipOutput, tracks: [ClipTrack]) {
        destination = output.destination
        self.tracks = tracks
        counted = Array(repeating: EncoderCounts(), count: tracks.count)
    }

    func counts(of track: Int) -> EncoderCounts { counted[track] }

    func write(_ data: RawSpan, to track: Int, at nanoseconds: Int64) throws(CaptureError) {
        try checkTrack(track)
        let frames = try tracks[track].frames(in: data)
        counted[track].frames += UInt64(frames)
        counted[track].packets += 1
        counted[track].bytes += UInt64(data.byteCount)
        bytesWritten += Int64(data.byteCount)
        end = max(end, nanoseconds + tracks[track].nanoseconds(ofFrames: Int64(frames)))
    }

    func finish(ledger: LossLedger, end reason: EndReason) -> Clip {
        Clip(
            path: destination.description, format: format, durationNanoseconds: end, bytes: bytesWritten,
            tracks: tracks, ledger: ledger, end: reason)
    }

    func discard() {}
}
