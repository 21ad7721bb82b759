import Synchronization

/// The numbers behind ``CaptureCounters``.
struct CounterStorage: ~Copyable, Sendable {
    let delivered = SingleWriterCounter()
    let bytes = SingleWriterCounter()
    let deviceLost = SingleWriterCounter()
    let flagged = SingleWriterCounter()
    let empty = SingleWriterCounter()
    let short = SingleWriterCounter()
    let ringLost = SingleWriterCounter()
    let xruns = SingleWriterCounter()
    let xrunFrames = SingleWriterCounter()
    let stalls = SingleWriterCounter()
    let restarts = SingleWriterCounter()
    let repairs = SingleWriterCounter()
    let turns = SingleWriterCounter()
    /// ``SignalState``
    let signal = SingleWriterCounter()
    /// ``SignalTimings``
    let shape = SingleWriterCounter()
    let first = Atomic<Int64>(0)
    let last = Atomic<Int64>(0)
    let priority = Atomic<Int64>(0)
    /// To be read where ``isDecided`` is set alone.
    var outcome = LoopResult(.stopped)
    let isDecided = Atomic<Bool>(false)
}
