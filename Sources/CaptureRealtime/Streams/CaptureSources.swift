import CaptureBase

/// A source of audio, driven by the capture thread: a PCM, or a built-in test source.
///
/// Everything but the properties runs in the fence: implementations carry `@_noLocks` and `@_noAllocation`.
///
/// *realtime-safe*
public protocol AudioSource: ~Copyable, Sendable {
    /// Delivered format; the frames are interleaved.
    var settings: PCMSettings { get }
    /// False for a source that spins or calls a server: with realtime priority it would starve the machine.
    var allowsRealtimePriority: Bool { get }

    /// Starts the device. Also called after ``stop()``.
    mutating func start() -> RealtimeFault?
    /// Waits for frames or the control, whichever comes first.
    ///
    /// - Parameters:
    ///   - control: A descriptor that becomes readable when the loop is to stop.
    ///   - milliseconds: The longest wait.
    mutating func wait(control: Int32, milliseconds: Int32) -> SourceWakeup
    /// Waits for only the control, for a device whose descriptor is always ready without data.
    mutating func pause(control: Int32, milliseconds: Int32)
    /// Reads up to `frames` frames into `memory`. Never waits.
    mutating func read(into memory: UnsafeMutableRawPointer, frames: Int) -> AudioReadResult
    /// Prepares and starts the device after an overrun, or resumes it after a suspension.
    mutating func recover(suspended: Bool) -> RealtimeFault?
    /// Stops the device; frames that it still holds are lost.
    mutating func stop()

    /// Runs ``CaptureLoop/run(_:)``. An implementation has a concrete source type, so that its attributes make the compiler check
    /// the whole loop.
    static func capture(_ stream: inout AudioStream<Self>) -> LoopResult
}

/// Result of reading from an audio source.
///
/// *realtime-safe*
public enum AudioReadResult: BitwiseCopyable, Sendable {
    /// Frames read; the first one was taken at `timestamp`, CLOCK_MONOTONIC in ns.
    case frames(Int, timestamp: Int64)
    /// No frames yet.
    case nothing
    /// Frames were lost; the source must be prepared and started.
    case overrun
    /// The machine slept. Frames from before may still come, then ``woken``.
    case suspended
    /// The next frames are from after a sleep.
    case woken
    /// Number of frames that are missing before the next ones. The source continues.
    case skipped(UInt64)
    /// The device was unplugged.
    case gone
    /// The process that owns the device ended the stream.
    case ended(LoopResult)
    case failed(RealtimeFault)
}

/// Source of video in its own buffers, driven by the capture thread: a camera, or a built-in test source.
///
/// Everything but the properties runs in the fence: implementations carry `@_noLocks` and `@_noAllocation`.
///
/// *realtime-safe*
public protocol VideoSource: ~Copyable, Sendable {
    /// Delivered format.
    var format: CameraFormat { get }
    /// 3 buffers or more: two for the device and one for the reader.
    var buffers: FrameBuffers { get }
    /// False for a source that spins or calls a server: with realtime priority it would starve the machine.
    var allowsRealtimePriority: Bool { get }

    /// Starts the device; all free buffers were queued before. Also called after ``stop()``.
    mutating func start() -> RealtimeFault?
    /// Waits for a buffer or the control, whichever comes first.
    ///
    /// - Parameters:
    ///   - control: A descriptor that becomes readable when the loop is to stop.
    ///   - milliseconds: The longest wait.
    mutating func wait(control: Int32, milliseconds: Int32) -> SourceWakeup
    /// Waits for only the control, for a device whose descriptor is always ready without data.
    mutating func pause(control: Int32, milliseconds: Int32)
    /// Takes a filled buffer from the device. Never waits.
    mutating func dequeue() -> DequeueResult
    /// Gives a buffer to the device to be filled.
    mutating func queue(_ buffer: Int) -> RealtimeFault?
    /// Takes all buffers from the device, filled or not.
    mutating func stop()

    /// Runs ``CaptureLoop/run(_:)``. An implementation has a concrete source type, so that its attributes make the compiler check
    /// the whole loop.
    static func capture(_ stream: inout VideoStream<Self>) -> LoopResult
}

/// A buffer that a video source has filled.
///
/// *realtime-safe*
public struct DequeuedBuffer: BitwiseCopyable, Sendable {
    public var index: Int
    /// The driver's own frame number.
    public var sequence: UInt32
    /// The driver's timestamp, CLOCK_MONOTONIC in ns; 0 if it has none of that clock.
    public var timestamp: Int64
    /// Time from the frame's beginning to that timestamp, ns: some drivers take it when a frame begins, others when it ends.
    public var timestampLag: Int64
    /// True if the driver says that the frame is broken.
    public var isFlagged: Bool
    public var planes: FramePlanes
    /// V4L2_FIELD_*: the field in the buffer, if fields alternate.
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

    /// Time from a frame's beginning to its end, estimated from its rate. A camera with one frame a second does not expose for the
    /// whole second, so half a second is the maximum.
    @_noLocks @_noAllocation
    static func lag(of interval: Int64) -> Int64 { interval < 500_000_000 ? interval : 500_000_000 }

    /// Beginning of the frame, CLOCK_MONOTONIC in ns; 0 if the driver does not say.
    var beginning: Int64 {
        @_noLocks @_noAllocation get { timestamp > timestampLag ? timestamp &- timestampLag : timestamp }
    }
}

/// Result of asking a video source for a filled buffer.
///
/// *realtime-safe*
public enum DequeueResult: BitwiseCopyable, Sendable {
    case buffer(DequeuedBuffer)
    /// No buffer is filled yet.
    case nothing
    /// The device was unplugged.
    case gone
    /// The process that owns the device ended the stream.
    case ended(LoopResult)
    case news(SignalEvent)
    case failed(RealtimeFault)
}

/// Result of waiting for a source.
///
/// *realtime-safe*
public enum SourceWakeup: BitwiseCopyable, Sendable {
    /// Possibly data.
    case ready
    /// Nothing: the time is over, or another descriptor is ready.
    case quiet
    /// An error state without data. Reading shows the cause.
    case trouble
    case failed(RealtimeFault)
}
