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
