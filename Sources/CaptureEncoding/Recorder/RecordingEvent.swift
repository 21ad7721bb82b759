import CaptureGate

/// What a recording tells while it runs; told on the recorder's thread, which waits for the handler.
public enum RecordingEvent: Sendable {
    /// The clip is to begin later: at a moment, nanoseconds since 1970, or when it is asked for. With a pre-roll the devices
    /// capture already.
    case waiting(preRoll: Duration?, startsAt: Int64?)
    /// The clip has begun: each device delivers, and the first frame is written. Never told where none comes. The
    /// sentences say what the devices do otherwise than asked.
    case started(tracks: [ClipTrack], differences: [String])
    case progress(RecordingProgress)
    /// What the first camera sees; told where ``RecorderSettings/preview`` asks for it.
    case preview(Thumbnail)
    /// Frames of a track are missing; told where losses are marked.
    case lost(ClipTrack, LossMark)
    /// A device's input has lost its signal, or has it again; also where there is none at the beginning. Pictures without one
    /// are written, and count as lost.
    case signal(ClipTrack, SignalState, atNanoseconds: Int64)
    /// One of several outputs has failed; the others go on.
    case outputFailed(OutputFailure)
    /// One file of several is finished.
    case segment(ClipPart)
    /// The file is finished; the error says why early, where it is. `lastTimestamp` is when the capture threads stamped
    /// their last frame, CLOCK_MONOTONIC nanoseconds, 0 where none was.
    case ended(Clip, CaptureError?, lastTimestamp: Int64)
}
