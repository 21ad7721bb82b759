/// A buffer that a video source has filled.
///
/// *realtime-safe*
public struct FilledBuffer: BitwiseCopyable, Sendable {
    public var index: Int
    /// The driver's own number.
    public var sequence: UInt32
    /// ns on CLOCK_MONOTONIC; 0 where the driver has none of that clock.
    public var timestamp: Int64
    /// The driver says that the picture is broken.
    public var isFlagged: Bool
    public var planes: FramePlanes

    @_noLocks @_noAllocation
    public init(index: Int, sequence: UInt32, timestamp: Int64, isFlagged: Bool, planes: FramePlanes) {
        self.index = index
        self.sequence = sequence
        self.timestamp = timestamp
        self.isFlagged = isFlagged
        self.planes = planes
    }
}

/// What asking a video source for a filled buffer brought.
///
/// *realtime-safe*
public enum VideoRead: BitwiseCopyable, Sendable {
    case buffer(FilledBuffer)
    case nothing
    case gone
    case failed(RealtimeFault)
}
