import CaptureEncoding
import CaptureGate

/// Account of the segments that are finished.
struct FinishedSegments {
    private(set) var segments: [ClipSegment] = []
    private(set) var bytes: Int64 = 0
    /// Time from the clip's start to the end of the last segment, nanoseconds.
    private(set) var end: Int64 = 0
    var counts: [EncoderCounts] = []
    /// Frames of each track in all of them.
    private(set) var kept: [KeptFrames] = []

    mutating func add(_ clip: Clip, of segment: OpenSegment) {
        segments.append(
            ClipSegment(
                path: clip.path, start: .nanoseconds(segment.start), duration: clip.duration,
                bytes: clip.bytes))
        bytes += clip.bytes
        end = max(end, segment.start + clip.duration.exactNanoseconds)
        if kept.isEmpty { kept = clip.ledger.tracks.map { _ in KeptFrames() } }
        for (index, track) in clip.ledger.tracks.enumerated() {
            kept[index].frames += track.frames
            kept[index].last = track.lastNanoseconds.map { segment.start + $0 } ?? kept[index].last
        }
        for index in counts.indices { counts[index] = counts[index] + segment.writer.counts(of: index) }
    }
}

extension EncoderCounts {
    static func + (first: EncoderCounts, second: EncoderCounts) -> EncoderCounts {
        var sum = first
        sum.frames += second.frames
        sum.packets += second.packets
        sum.bytes += second.bytes
        sum.repaired += second.repaired
        sum.skipped += second.skipped
        sum.late += second.late
        return sum
    }
}

/// Segment that is being written. Its writer's times begin at 0; the clip's do not.
final class OpenSegment {
    /// Number of the segment, 1 upwards.
    let number: Int
    /// Time from the clip's start, nanoseconds.
    let start: Int64
    /// Start of the next segment, nanoseconds from the clip's start. A limit of size may bring it forward; `nil` while a key
    /// frame of a camera's own stream has yet to decide it.
    var end: Int64?
    /// Time from which on a key frame may end it.
    var due: Int64
    let writer: any ClipWriter
    /// Frames of each track in it.
    private(set) var frames: [UInt64]
    /// Times of each track's first and last frame, nanoseconds from the segment's start.
    private(set) var firstTime: [Int64?]
    private(set) var lastTime: [Int64?]

    init(number: Int, start: Int64, end: Int64?, due: Int64, writer: any ClipWriter) {
        self.number = number
        self.start = start
        self.end = end
        self.due = due
        self.writer = writer
        frames = Array(repeating: 0, count: writer.tracks.count)
        firstTime = Array(repeating: nil, count: writer.tracks.count)
        lastTime = firstTime
    }

    /// Writes frames.
    /// - Parameters:
    ///   - data: as for `ClipWriter.write(_:to:at:)`.
    ///   - track: index in the clip.
    ///   - nanoseconds: from the segment's start.
    ///   - count: frames in the data.
    func write(_ data: RawSpan, to track: Int, at nanoseconds: Int64, frames count: UInt64) throws(CaptureError) {
        let time = max(0, nanoseconds)
        try writer.write(data, to: track, at: time)
        frames[track] += count
        firstTime[track] = firstTime[track] ?? time
        lastTime[track] = time + writer.tracks[track].nanoseconds(ofFrames: Int64(count) - 1)
    }
}
