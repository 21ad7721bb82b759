/// Why a capture loop returned.
///
/// *thread-safe*
public enum LoopEnd: UInt8, BitwiseCopyable, Sendable, Hashable {
    /// It was asked to stop.
    case stopped
    /// The permission was taken back.
    case revoked
    /// The permission ran out.
    case expired
    /// The device was unplugged.
    case deviceGone
    /// Nothing came for max(5 periods, 500 ms), and nothing after one restart; or a call to the device did not return.
    case stalled
    /// A call failed; the fault says which.
    case failed
    /// The signal is another than the device is set up for.
    case signalChanged
}
