/// What waiting for a source brought.
///
/// *realtime-safe*
public enum SourceWakeup: BitwiseCopyable, Sendable {
    /// Data, perhaps.
    case ready
    /// Nothing: the time is over, or another descriptor called.
    case quiet
    /// An error state without data. Reading says which.
    case trouble
    case failed(RealtimeFault)
}
