import CaptureGate

/// A picture that was taken and stored.
///
/// *thread-safe*
public struct Snapshot: Hashable, Sendable {
    /// Its file, or `-`.
    public let path: String
    /// Bytes.
    public let size: Int
    /// What the camera delivered.
    public let format: VideoFormat
    /// Whether the picture had settled; otherwise the patience was over. In a series, whether the first one had.
    public let isSettled: Bool
    /// Since the camera's first picture, ns.
    public let waitedNanoseconds: Int64
    /// Of its first line or whatever the driver stamps, ns on CLOCK_MONOTONIC.
    public let timestamp: Int64
    /// Pictures that came since the one before, in a series of all that come, and were not taken: storing that one took too
    /// long. 0 in any other.
    public let missed: UInt64
    /// What the driver does otherwise than asked, one sentence each; the same for all pictures of a series.
    public let differences: [String]
}
