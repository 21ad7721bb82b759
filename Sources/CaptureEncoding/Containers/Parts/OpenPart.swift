import CaptureGate

/// A part that is being written.
final class OpenPart {
    /// 1 upwards.
    let number: Int
    /// From the clip's start, nanoseconds.
    let start: Int64
    /// Where the next part begins, nanoseconds from the clip's start; later ones may bring it forward.
    var end: Int64?
    let writer: any ClipWriter
    /// In it, of each track.
    private(set) var frames: [UInt64]
    /// Of each track's first and last frame, nanoseconds from the part's start.
    private(set) var firstTime: [Int64?]
    private(set) var lastTime: [Int64?]

    init(number: Int, start: Int64, end: Int64?, writer: any ClipWriter) {
        self.number = number
        self.start = start
        self.end = end
        self.writer = writer
        frames = Array(repeating: 0, count: writer.tracks.count)
        firstTime = Array(repeating: nil, count: writer.tracks.count)
        lastTime = firstTime
    }

    /// - Parameter nanoseconds: from the part's start.
    func write(_ data: RawSpan, to track: Int, at nanoseconds: Int64, frames count: UInt64) throws(CaptureError) {
        let time = max(0, nanoseconds)
        try writer.write(data, to: track, at: time)
        frames[track] += count
        firstTime[track] = firstTime[track] ?? time
        lastTime[track] = time + writer.tracks[track].nanoseconds(ofFrames: Int64(count) - 1)
    }
}
