/// How far a track has come in the parts of a clip.
struct TrackCursor {
    /// Number of the part its next frame goes into, unless that lies behind the part's end.
    var part = 1
    /// Of sound, frames from the clip's start.
    private(set) var frames: UInt64?
    /// From the clip's start to the end of its last frame, nanoseconds.
    private(set) var time: Int64 = 0

    mutating func note(_ frames: UInt64?, _ time: Int64) {
        self.frames = frames
        self.time = time
    }
}
