/// What reading from an audio source brought.
///
/// *realtime-safe*
public enum AudioReadResult: BitwiseCopyable, Sendable {
    /// So many frames; the first one was taken at `timestamp`, ns on CLOCK_MONOTONIC.
    case frames(Int, timestamp: Int64)
    case nothing
    /// Frames were lost; the source must be prepared and started.
    case overrun
    /// The machine slept. What was heard before may still come, then ``woken``.
    case suspended
    /// The next frames are from after a sleep.
    case woken
    case gone
    case failed(RealtimeFault)
}
