import CaptureGate

/// What a recording tells while it runs; told on the recorder's thread, which waits for the handler.
public enum RecordingEvent: Sendable {
    /// The clip has begun: each device delivers, and the first frame is written. Never told where none comes. The
    /// sentences say what the devices do otherwise than asked.
    case started(tracks: [ClipTrack], differences: [String])
    case progress(RecordingProgress)
    /// One file of several is finished.
    case segment(ClipPart)
    /// The file is finished; the error says why early, where it is. `lastTimestamp` is when the capture threads stamped
    /// their last frame, CLOCK_MONOTONIC nanoseconds, 0 where none was.
    case ended(Clip, CaptureError?, lastTimestamp: Int64)
}
