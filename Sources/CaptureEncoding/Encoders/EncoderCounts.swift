/// What an encoder did with what it got.
///
/// *thread-safe*
public struct EncoderCounts: Hashable, Sendable {
    /// Frames that went in and came out: pictures, or samples of each channel.
    public var frames: UInt64 = 0
    /// Packets that came out.
    public var packets: UInt64 = 0
    /// Bytes that came out.
    public var bytes: UInt64 = 0
    /// Pictures that were mended.
    public var repaired: UInt64 = 0
    /// Pictures that were broken or short, and left out.
    public var skipped: UInt64 = 0

    public init() {}
}
