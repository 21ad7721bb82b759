import CaptureBase

@testable import CaptureEncoding

/// Writer that keeps in memory what it is given.
final class MemoryWriter: ClipWriter {
    let format = ClipFormat.matroska
    let tracks: [ClipTrack]
    private(set) var bytes: [[UInt8]]
    /// Time of each write, nanoseconds.
    private(set) var times: [[Int64]]
    /// Frames of the track before each write.
    private(set) var starts: [[Int]]
    private(set) var segmentLedger: LossLedger?
    private(set) var extended: Int64 = 0
    private(set) var isDiscarded = false
    /// Frames that fit; the write that exceeds them fails.
    var room = Int.max

    init(_ tracks: [ClipTrack]) {
        self.tracks = tracks
        bytes = tracks.map { _ in [] }
        times = tracks.map { _ in [] }
        starts = tracks.map { _ in [] }
    }

    var bytesWritten: Int64 { bytes.reduce(0) { $0 + Int64($1.count) } }
    var pendingBytes: Int64 { 7 }
    var isBusy: Bool { true }
    var isSegmentOver: Bool { true }

    func counts(of track: Int) -> EncoderCounts {
        var counts = EncoderCounts()
        counts.skipped = UInt64(track) + 1
        return counts
    }

    func write(_ data: RawSpan, to track: Int, at nanoseconds: Int64) throws(CaptureError) {
        let frames = try tracks[track].frames(in: data)
        guard frames <= room else { throw CaptureError(.diskFull, "It is full.") }
        room -= frames
        starts[track].append(bytes[track].count / (tracks[track].audio?.bytesPerFrame ?? 1))
        data.withUnsafeBytes { bytes[track] += $0 }
        times[track].append(nanoseconds)
    }

    func extend(to nanoseconds: Int64) { extended = nanoseconds }
    func finishSegments(_ ledger: () -> LossLedger) throws(CaptureError) { segmentLedger = ledger() }
    func discard() { isDiscarded = true }

    func finish(ledger: LossLedger, end: EndReason) throws(CaptureError) -> Clip {
        Clip(
            path: "memory", format: format, duration: .zero, bytes: bytesWritten, tracks: tracks, ledger: ledger,
            end: end)
    }

    /// Samples of a track of 16 bits.
    func shorts(_ track: Int = 0) -> [Int16] { bytes[track].withUnsafeBytes { Array($0.bindMemory(to: Int16.self)) } }
}
