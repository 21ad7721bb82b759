/// The loop of the capture thread: wait, process, recover. It never allocates, locks, logs or waits for a reader, and
/// throws nothing: how it ended is its value.
///
/// It is generic and so can't be marked itself; called from a marked function that names the source, it is checked through.
/// It stands twice, in `AudioStream+Loop.swift` and `VideoStream+Loop.swift`, because the compiler specializes a generic type's
/// own methods, but not those that it has by a protocol. What is decided is shared: ``LoopState``.
///
/// *realtime-safe*
public enum CaptureLoop {}
