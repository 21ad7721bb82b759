import Synchronization

/// The numbers behind ``LoopCounters``.
struct Tally: ~Copyable, Sendable {
    let delivered = Counter()
    let bytes = Counter()
    let deviceLost = Counter()
    let flagged = Counter()
    let empty = Counter()
    let short = Counter()
    let ringLost = Counter()
    let xruns = Counter()
    let xrunFrames = Counter()
    let stalls = Counter()
    let restarts = Counter()
    let repairs = Counter()
    let turns = Counter()
    /// ``SignalState``
    let signal = Counter()
    /// ``SignalShape``
    let shape = Counter()
    let first = Atomic<Int64>(0)
    let last = Atomic<Int64>(0)
    let priority = Atomic<Int64>(0)
    /// To be read where ``isDecided`` is set alone.
    var outcome = LoopResult(.stopped)
    let isDecided = Atomic<Bool>(false)
}
