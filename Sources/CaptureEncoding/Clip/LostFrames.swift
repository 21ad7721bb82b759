/// Frames that the device made and the clip does not have, by cause.
///
/// *thread-safe*
public struct LostFrames: Hashable, Sendable, Codable {
    /// Video frames missing in the driver's sequence: lost before they reached the program.
    public var device: UInt64 = 0
    /// The ring had no free slot: the reader was too slow.
    public var ring: UInt64 = 0
    /// The driver's error flag was set, or the picture was broken beyond repair.
    public var corrupt: UInt64 = 0
    /// Buffers without a byte.
    public var empty: UInt64 = 0
    /// Buffers with fewer bytes than a frame has.
    public var short: UInt64 = 0
    /// Audio frames missing through xruns.
    public var xrun: UInt64 = 0
    /// Frames that the encoder was too slow for.
    public var encoder: UInt64 = 0

    public init() {}

    /// The sum of all causes.
    public var total: UInt64 { device + ring + corrupt + empty + short + xrun + encoder }
}
