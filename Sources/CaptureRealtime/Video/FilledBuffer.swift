import CaptureBase

/// A buffer that a video source has filled.
///
/// *realtime-safe*
public struct DequeuedBuffer: BitwiseCopyable, Sendable {
    public var index: Int
    /// The driver's own number.
    public var sequence: UInt32
    /// ns on CLOCK_MONOTONIC; 0 where the driver has none of that clock.
    public var timestamp: Int64
    /// How much later than the picture's beginning that is, ns: a driver stamps a frame when it begins or when it ends.
    public var timestampLag: Int64
    /// The driver says that the picture is broken.
    public var isFlagged: Bool
    public var planes: FramePlanes
    /// V4L2_FIELD_*: which field it is, where they come in turn.
    public var field: UInt32 = 0

    @_noLocks @_noAllocation
    public init(
        index: Int, sequence: UInt32, timestamp: Int64, timestampLag: Int64 = 0, isFlagged: Bool, planes: FramePlanes
    ) {
        self.index = index
        self.sequence = sequence
        self.timestamp = timestamp
        self.timestampLag = timestampLag
        self.isFlagged = isFlagged
        self.planes = planes
    }

    /// How long before its end a frame has begun, as far as its rate tells. A camera of a picture a second does not look
    /// for all of that second.
    @_noLocks @_noAllocation
    static func lag(of interval: Int64) -> Int64 { interval < 500_000_000 ? interval : 500_000_000 }

    /// When the picture began, ns on CLOCK_MONOTONIC; 0 where the driver does not say.
    var beginning: Int64 {
        @_noLocks @_noAllocation get { timestamp > timestampLag ? timestamp &- timestampLag : timestamp }
    }
}

/// What asking a video source for a filled buffer brought.
///
/// *realtime-safe*
public enum DequeueResult: BitwiseCopyable, Sendable {
    case buffer(DequeuedBuffer)
    case nothing
    case gone
    case news(SignalEvent)
    case failed(RealtimeFault)
}
