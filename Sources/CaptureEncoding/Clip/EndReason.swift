/// Why a recording ended.
///
/// *thread-safe*
public enum EndReason: String, Hashable, Sendable, Codable, CaseIterable {
    /// All that was asked for is there.
    case complete
    /// One frame more would have made the file larger than it may be.
    case maxSize = "max_size"
    /// It has been quiet for as long as was said.
    case silence
    /// A frame was lost, and that was to end it.
    case loss
    /// A person or a signal ended it.
    case interrupt
    /// The gate took the permission back.
    case revoked
    case deviceGone = "device_gone"
    case stalled
    /// The signal at a device's input became another, or was gone and nothing came any more.
    case signal
    case diskFull = "disk_full"
    case failure
}
