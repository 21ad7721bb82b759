import CaptureBase

/// Something that delivers sound, driven by the capture thread: a PCM, or a built-in test source.
///
/// Everything but the properties runs in the fence: implementations carry `@_noLocks` and `@_noAllocation`.
///
/// *realtime-safe*
public protocol AudioSource: ~Copyable, Sendable {
    /// What it delivers: interleaved.
    var settings: PCMSettings { get }
    /// False for what spins or calls a server: it must not starve the machine.
    var allowsRealtimePriority: Bool { get }

    /// Also called after ``stop()``.
    mutating func start() -> RealtimeFault?
    mutating func wait(control: Int32, milliseconds: Int32) -> SourceWakeup
    mutating func pause(control: Int32, milliseconds: Int32)
    /// Never waits.
    mutating func read(into memory: UnsafeMutableRawPointer, frames: Int) -> AudioReadResult
    /// After an overrun or a suspension.
    mutating func recover(suspended: Bool) -> RealtimeFault?
    mutating func stop()

    /// Runs ``CaptureLoop/run(_:)``. It names the source's type, so its marks make the compiler check the whole loop.
    static func capture(_ stream: inout AudioStream<Self>) -> LoopResult
}

/// What reading from an audio source brought.
///
/// *realtime-safe*
public enum AudioReadResult: BitwiseCopyable, Sendable {
    /// So many frames; the first one was taken at `timestamp`, ns on CLOCK_MONOTONIC.
    case frames(Int, timestamp: Int64)
    case nothing
    /// Frames were lost; the source must be prepared and started.
    case overrun
    /// The machine slept. What was heard before may still come, then ``woken``.
    case suspended
    /// The next frames are from after a sleep.
    case woken
    case gone
    case failed(RealtimeFault)
}

/// Something that delivers pictures in buffers of its own, driven by the capture thread: a camera, or a built-in test source.
///
/// Everything but the properties runs in the fence: implementations carry `@_noLocks` and `@_noAllocation`.
///
/// *realtime-safe*
public protocol VideoSource: ~Copyable, Sendable {
    var format: CameraFormat { get }
    /// 3 buffers at least: two for the device and one for the reader.
    var buffers: FrameBuffers { get }
    var allowsRealtimePriority: Bool { get }

    /// All buffers that are free were queued before. Also called after ``stop()``.
    mutating func start() -> RealtimeFault?
    mutating func wait(control: Int32, milliseconds: Int32) -> SourceWakeup
    mutating func pause(control: Int32, milliseconds: Int32)
    /// Never waits.
    mutating func dequeue() -> DequeueResult
    /// Gives a buffer to the device to be filled.
    mutating func queue(_ buffer: Int) -> RealtimeFault?
    /// Takes all buffers from the device, filled or not.
    mutating func stop()

    /// Runs ``CaptureLoop/run(_:)``. It names the source's type, so its marks make the compiler check the whole loop.
    static func capture(_ stream: inout VideoStream<Self>) -> LoopResult
}

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
