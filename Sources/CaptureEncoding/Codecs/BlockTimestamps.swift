import CaptureBase

/// Gives blocks that are cut elsewhere than their input the time of their first frame.
///
/// A frame's time is that of the newest input plus or minus the frames between, so that blocks follow the device's
/// clock and not a nominal rate.
struct BlockTimestamps {
    private var anchorTime: Int64 = 0
    private var anchorFrame: Int64 = 0
    private var framesIn: Int64 = 0
    private var framesOut: Int64 = 0
    private var lastEnd: Int64 = .min

    /// The next frame that comes in has this time.
    mutating func anchor(at nanoseconds: Int64) {
        anchorTime = nanoseconds
        anchorFrame = framesIn
    }

    mutating func advance(by frames: Int64) { framesIn += frames }

    /// The time of the next `frames` that go out; never before the one given out last, never before 0.
    mutating func take(_ frames: Int64, of format: AudioFormat) -> Int64 {
        let distance = framesOut - anchorFrame
        let offset = format.nanoseconds(ofFrames: abs(distance))
        let time = max(anchorTime + (distance < 0 ? -offset : offset), lastEnd, 0)
        framesOut += frames
        lastEnd = time + 1
        return time
    }
}
