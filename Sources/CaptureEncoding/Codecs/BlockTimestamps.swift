import CaptureBase

/// Timestamps of blocks whose borders are not those of their input.
///
/// A frame's time is that of the newest input plus or minus the frames between, so blocks follow the device's clock and not a
/// nominal rate.
struct BlockTimestamps {
    private var anchorTime: Int64 = 0
    private var anchorFrame: Int64 = 0
    private var framesIn: Int64 = 0
    private var framesOut: Int64 = 0
    private var lastEnd: Int64 = .min

    /// Sets the time of the next input frame.
    mutating func anchor(at nanoseconds: Int64) {
        anchorTime = nanoseconds
        anchorFrame = framesIn
    }

    mutating func advance(by frames: Int64) { framesIn += frames }

    /// The time of the next `frames` output frames; never before the previous one, never before 0.
    mutating func take(_ frames: Int64, of format: AudioFormat) -> Int64 {
        let distance = framesOut - anchorFrame
        let offset = format.nanoseconds(ofFrames: abs(distance))
        let time = max(anchorTime + (distance < 0 ? -offset : offset), lastEnd, 0)
        framesOut += frames
        lastEnd = time + 1
        return time
    }
}
