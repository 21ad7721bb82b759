import CaptureGate
import CaptureRecording

/// Keeps everything written to it.
final class MemoryWriter: ClipWriter {
    let format = ClipFormat.matroska
    let tracks: [ClipTrack]
    private(set) var bytes: [UInt8] = []
    /// The time of each write, nanoseconds.
    private(set) var times: [Int64] = []

    init(_ tracks: [ClipTrack]) {
        self.tracks = tracks
    }

    var bytesWritten: Int64 { Int64(bytes.count) }
    func counts(of track: Int) -> EncoderCounts { EncoderCounts() }

    func write(_ data: RawSpan, to track: Int, at nanoseconds: Int64) throws(CaptureError) {
        data.withUnsafeBytes { bytes.append(contentsOf: $0) }
        times.append(nanoseconds)
    }

    func finish(ledger: LossLedger, end: EndReason) throws(CaptureError) -> Clip {
        throw CaptureError(.usage, "There is no file.")
    }

    func discard() {}

    var samples: [Int16] { bytes.withUnsafeBytes { Array($0.bindMemory(to: Int16.self)) } }
}
