/// What the capture thread says of one unit in a ring: one period of sound or one picture.
///
/// For any two units read in turn, `next.sequence == last.sequence + last.frameCount + next.lost.total`.
///
/// *thread-safe*
public struct FrameHeader: BitwiseCopyable, Sendable, Hashable {
    /// The number of the first frame since the start, lost ones counted: audio frames, or pictures.
    public var sequence: UInt64
    /// When the first sample, or the picture, was taken: ns on CLOCK_MONOTONIC, always later than that of the unit before.
    ///
    /// Of a picture it is when its exposure began. Webcams stamp that (V4L2_BUF_FLAG_TSTAMP_SRC_SOE); most capture cards and
    /// camera sensors stamp the end of a frame, and one frame's duration, half a second at most, is taken off: what is left
    /// is the driver's own inaccuracy, such as a tenth of a frame where reading a picture out takes nine.
    public var timestamp: Int64
    /// Bytes of payload, in all planes.
    public var byteCount: Int
    /// Audio frames; 1 for a picture.
    public var frameCount: Int
    public var flags: FrameFlags
    /// What is missing directly before this unit, by cause. Inside a ring: running totals.
    public var lost: Loss

    @_noLocks @_noAllocation @inlinable
    public init(
        sequence: UInt64, timestamp: Int64, byteCount: Int, frameCount: Int,
        flags: FrameFlags = FrameFlags(rawValue: 0),
        lost: Loss = Loss()
    ) {
        self.sequence = sequence
        self.timestamp = timestamp
        self.byteCount = byteCount
        self.frameCount = frameCount
        self.flags = flags
        self.lost = lost
    }
}
