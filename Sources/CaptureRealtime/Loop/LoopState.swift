import CMedia

/// The loop of the capture thread: wait, process, recover. It never allocates, locks, logs or waits for a reader, and
/// throws nothing: how it ended is its value.
///
/// It is generic and so can't be marked itself; called from a marked function that names the source, it is checked through.
/// It stands twice, in `AudioStream+Loop.swift` and `VideoStream+Loop.swift`, because the compiler specializes a generic type's
/// own methods, but not those that it has by a protocol. What is decided is shared: ``LoopState``.
///
/// *realtime-safe*
public enum CaptureLoop {}

/// What a loop has to do next.
///
/// *realtime-safe*
public enum LoopAction: BitwiseCopyable, Sendable, Hashable {
    case goOn
    /// Prepare and start, or resume.
    case recover(suspended: Bool)
    /// Stop and start.
    case restart
    case end(LoopResult)
}

/// The decisions of a capture loop, apart from its calls: what happened goes in, what to do comes out.
///
/// *realtime-safe*
public struct LoopState: BitwiseCopyable, Sendable {
    private var watchdog: Watchdog
    @usableFromInline let word: CommitWord
    private let counters: RealtimeCounters
    /// A suspension is seen again at every reading until the device is awake.
    private var isSuspended = false
    /// Nothing came since it was awake.
    private var hasWoken = false

    /// - Parameters:
    ///   - period: From unit to unit in ns, 0 where it is not known.
    ///   - patience: How long the first unit may take, ns.
    @_noLocks @_noAllocation
    public init(_ word: CommitWord, _ counters: RealtimeCounters, period: Int64, patience: Int64) {
        self.word = word
        self.counters = counters
        watchdog = Watchdog(period: period, first: patience, now: cm_monotonic())
    }

    /// How long to wait at most, ms.
    public var slice: Int32 {
        @_noLocks @_noAllocation get { watchdog.slice }
    }

    /// How long to wait for the control alone before that, ms; 0 as long as the device behaves.
    public var pause: Int32 {
        @_noLocks @_noAllocation get { watchdog.pause }
    }

    /// Whether the loop was asked to stop. Looked at before each wait; a commit looks by itself.
    @_noLocks @_noAllocation
    public func stop() -> LoopResult? {
        counters.turned()
        return word.result()
    }

    /// - Returns: The end, if starting or recovering failed. A device that was unplugged says so in whatever call comes next.
    @_noLocks @_noAllocation
    public func end(_ fault: RealtimeFault?) -> LoopResult? {
        guard let fault else { return nil }
        return LoopResult(fault.meansGone ? .deviceGone : .failed, fault: fault)
    }

    /// The wait brought nothing to process.
    @_noLocks @_noAllocation
    public mutating func judge(_ wakeup: SourceWakeup) -> LoopAction {
        guard case .failed(let fault) = wakeup else { return starved(inTrouble: false, timedOut: true) }
        return judge(.failed(fault), inTrouble: false)
    }

    /// The device was asked for data.
    @_noLocks @_noAllocation
    public mutating func judge(_ step: LoopStep, inTrouble: Bool) -> LoopAction {
        switch step {
        case .progress:
            watchdog.fed()
            isSuspended = false
            hasWoken = false
            return .goOn
        case .woken: return woken()
        case .idle: return starved(inTrouble: inTrouble)
        case .overrun: return broken(suspended: false)
        case .suspended: return broken(suspended: true)
        case .stopped: return stopped()
        case .gone: return .end(LoopResult(.deviceGone))
        case .changed: return .end(LoopResult(.signalChanged))
        case .failed(let fault): return failed(fault)
        }
    }

    @_noLocks @_noAllocation
    private func stopped() -> LoopAction {
        guard let result = word.result() else { return .end(LoopResult(.stopped)) }
        return .end(result)
    }

    @_noLocks @_noAllocation
    private func failed(_ fault: RealtimeFault) -> LoopAction {
        .end(LoopResult(fault.meansGone ? .deviceGone : .failed, fault: fault))
    }

    /// A device that overruns again and again without a frame in between is a stalled one.
    @_noLocks @_noAllocation
    private mutating func broken(suspended: Bool) -> LoopAction {
        if !suspended { counters.sawXrun() }
        if suspended, !isSuspended { counters.restarted() }
        isSuspended = suspended
        let action = starved(inTrouble: false)
        guard case .goOn = action else { return action }
        return .recover(suspended: suspended)
    }

    /// A device that wakes up and sleeps again and again has not begun anew each time: in the end that is a stall.
    @_noLocks @_noAllocation
    private mutating func woken() -> LoopAction {
        guard !hasWoken else { return starved(inTrouble: false) }
        hasWoken = true
        isSuspended = false
        watchdog.fed()
        return .goOn
    }

    /// A stall gets one restart, an error state that stays gets none.
    @_noLocks @_noAllocation
    private mutating func starved(inTrouble: Bool, timedOut: Bool = false) -> LoopAction {
        watchdog.starved(now: cm_monotonic(), inTrouble: inTrouble, timedOut: timedOut)
        if watchdog.isHopeless { return .end(LoopResult(.failed, fault: RealtimeFault(.poll, result: -EIO))) }
        guard watchdog.hasStalled else { return .goOn }
        counters.sawStall()
        guard watchdog.mayRestart else { return .end(LoopResult(.stalled)) }
        counters.restarted()
        watchdog.restarted(now: cm_monotonic())
        return .restart
    }
}

/// What one turn of the loop did.
///
/// *realtime-safe*
public enum LoopStep: BitwiseCopyable, Sendable {
    /// Data came.
    case progress
    /// Nothing was there.
    case idle
    /// The device overran: prepare and start.
    case overrun
    /// The device slept: resume, or prepare and start.
    case suspended
    /// It is awake again.
    case woken
    /// The loop was asked to stop.
    case stopped
    case gone
    /// The signal is another than the device is set up for.
    case changed
    case failed(RealtimeFault)
}

/// Decides when silence is a stall. It counts time that the loop really waited: a process or machine that was frozen for a
/// second has waited one slice, not a second.
///
/// *realtime-safe*
public struct Watchdog: BitwiseCopyable, Sendable {
    private let limit: Int64
    private var quiet: Int64 = 0
    private var allowed: Int64
    private var last: Int64
    /// Something came since anybody looked at the clock: units cost no call for the time.
    private var isFresh = false
    private var trouble: Int64 = 0
    private var idleTurns = 0
    private var hasRestarted = false

    /// An error state that brings neither data nor a result ends the loop after this time.
    static var troubleLimit: Int64 {
        @_noLocks @_noAllocation get { 150_000_000 }
    }

    /// - Parameters:
    ///   - period: From unit to unit in ns, 0 where it is not known.
    ///   - first: How long the first unit may take, ns.
    ///   - now: CLOCK_MONOTONIC in ns.
    @_noLocks @_noAllocation
    public init(period: Int64, first: Int64, now: Int64) {
        limit = period > 100_000_000 ? period &* 5 : 500_000_000
        allowed = first > limit ? first : limit
        last = now
    }

    /// How long to wait at most, ms: a quarter of what is left of patience with any device.
    public var slice: Int32 {
        @_noLocks @_noAllocation get { Int32(truncatingIfNeeded: limit / 4_000_000) }
    }

    /// Something came.
    @_noLocks @_noAllocation
    public mutating func fed() {
        quiet = 0
        trouble = 0
        idleTurns = 0
        hasRestarted = false
        allowed = limit
        isFresh = true
    }

    /// Nothing came.
    ///
    /// - Parameters:
    ///   - inTrouble: The device shows an error state.
    ///   - timedOut: The whole ``slice`` went by.
    @_noLocks @_noAllocation
    public mutating func starved(now: Int64, inTrouble: Bool, timedOut: Bool = false) {
        let waited = waited(now: now, timedOut: timedOut)
        quiet &+= waited
        trouble = inTrouble ? trouble &+ waited : 0
        idleTurns &+= 1
        isFresh = false
        last = now
    }

    @_noLocks @_noAllocation
    private func waited(now: Int64, timedOut: Bool) -> Int64 {
        let slice = limit / 4
        if isFresh { return timedOut ? slice : 0 }
        return now &- last < slice ? now &- last : slice
    }

    public var hasStalled: Bool {
        @_noLocks @_noAllocation get { quiet >= allowed }
    }

    public var isHopeless: Bool {
        @_noLocks @_noAllocation get { trouble >= Self.troubleLimit }
    }

    /// The descriptors call again and again for nothing: waiting for them would burn the processor. 0, or a pause in ms.
    public var pause: Int32 {
        @_noLocks @_noAllocation get { trouble > 0 ? 20 : idleTurns > 8 ? 10 : 0 }
    }

    /// Not a second time without anything in between.
    public var mayRestart: Bool {
        @_noLocks @_noAllocation get { !hasRestarted }
    }

    /// The device was started again: it gets the same time once more.
    @_noLocks @_noAllocation
    public mutating func restarted(now: Int64) {
        quiet = 0
        trouble = 0
        idleTurns = 0
        hasRestarted = true
        last = now
    }
}
