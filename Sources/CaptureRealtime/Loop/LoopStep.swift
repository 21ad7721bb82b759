/// What one turn of the loop did.
///
/// *realtime-safe*
public enum LoopStep: BitwiseCopyable, Sendable {
    /// Data came.
    case progress
    /// Nothing was there.
    case idle
    /// The device overran: prepare and start.
    case overrun
    /// The device slept: resume, or prepare and start.
    case suspended
    /// It is awake again.
    case woken
    /// The loop was asked to stop.
    case stopped
    case gone
    /// The signal is another than the device is set up for.
    case changed
    case failed(RealtimeFault)
}
