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
