/// The loop of the capture thread: wait, process, recover. It never allocates, locks, logs or waits for a reader, and
/// throws nothing: its outcome is a value.
///
/// It is generic and so can't carry the fence's marks; called from a marked function that names the source, it is
/// checked through. It exists twice, once for ``AudioStream`` and once for ``VideoStream``, because the compiler
/// specializes a generic type's own methods, but not those that it has through a protocol. The decisions are shared:
/// ``LoopState``.
///
/// *realtime-safe*
public enum CaptureLoop {}

/// Next action of a loop.
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

/// The decisions of a capture loop, apart from its calls: events go in, actions come out. It makes no call to the
/// device, so tests can drive it through every order of events.
///
/// *realtime-safe*
public struct LoopState: BitwiseCopyable, Sendable {
    private var watchdog: Watchdog
    @usableFromInline let word: CommitWord
    private let counters: RealtimeCounters
    /// True from a suspension to the next data: each read reports it again until the device is awake.
    private var isSuspended = false
    /// True until something comes after a wake-up.
    private var hasWoken = false

    /// - Parameters:
    ///   - word: Stops the loop.
    ///   - counters: Receive stalls, restarts and overruns.
    ///   - period: Time from entry to entry in ns, 0 where it is not known.
    ///   - patience: Time for the first entry, ns.
    @_noLocks @_noAllocation
    public init(_ word: CommitWord, _ counters: RealtimeCounters, period: Int64, patience: Int64) {
        self.word = word
        self.counters = counters
        watchdog = Watchdog(period: period, first: patience, now: MonotonicClock.now)
    }

    /// Longest wait, ms.
    public var slice: Int32 {
        @_noLocks @_noAllocation get { watchdog.slice }
    }

    /// Time to wait for the control alone before that, ms; 0 while the device behaves.
    public var pause: Int32 {
        @_noLocks @_noAllocation get { watchdog.pause }
    }

    /// Result of a requested stop, `nil` where there was none. Checked before each wait; a commit checks by itself.
    @_noLocks @_noAllocation
    public func stop() -> LoopResult? {
        counters.turned()
        return word.result()
    }

    /// - Returns: The end, if starting or recovering failed. An unplugged device reports it in whatever call comes
    ///   next.
    @_noLocks @_noAllocation
    public func end(_ fault: RealtimeFault?) -> LoopResult? {
        guard let fault else { return nil }
        return LoopResult(fault.meansGone ? .deviceGone : .failed, fault: fault)
    }

    /// Judges a wait that brought nothing to process.
    @_noLocks @_noAllocation
    public mutating func judge(_ wakeup: SourceWakeup) -> LoopAction {
        guard case .failed(let fault) = wakeup else { return starved(inTrouble: false, timedOut: true) }
        return judge(.failed(fault), inTrouble: false)
    }

    /// Judges the result of processing.
    ///
    /// - Parameters:
    ///   - step: Result of one turn.
    ///   - inTrouble: The device shows an error state.
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
        case .ended(let result): return .end(word.result() ?? result)
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

    /// Judges an overrun or suspension. A device that overruns again and again without a frame in between has stalled.
    @_noLocks @_noAllocation
    private mutating func broken(suspended: Bool) -> LoopAction {
        if !suspended { counters.sawXrun() }
        if suspended, !isSuspended { counters.restarted() }
        isSuspended = suspended
        let action = starved(inTrouble: false)
        guard case .goOn = action else { return action }
        return .recover(suspended: suspended)
    }

    /// Judges a wake-up. Falling asleep and waking again and again is no new start each time: in the end it is a stall.
    @_noLocks @_noAllocation
    private mutating func woken() -> LoopAction {
        guard !hasWoken else { return starved(inTrouble: false) }
        hasWoken = true
        isSuspended = false
        watchdog.fed()
        return .goOn
    }

    /// Judges silence. A stall gets one restart, a lasting error state none: restarting would hide a broken device.
    @_noLocks @_noAllocation
    private mutating func starved(inTrouble: Bool, timedOut: Bool = false) -> LoopAction {
        watchdog.starved(now: MonotonicClock.now, inTrouble: inTrouble, timedOut: timedOut)
        if watchdog.isHopeless { return .end(LoopResult(.failed, fault: .lastingError)) }
        guard watchdog.hasStalled else { return .goOn }
        counters.sawStall()
        guard watchdog.mayRestart else { return .end(LoopResult(.stalled)) }
        counters.restarted()
        watchdog.restarted(now: MonotonicClock.now)
        return .restart
    }
}

/// Result of one turn of the loop.
///
/// *realtime-safe*
public enum LoopStep: BitwiseCopyable, Sendable {
    /// Data came.
    case progress
    /// No data.
    case idle
    /// The device overran: prepare and start.
    case overrun
    /// The device slept: resume, or prepare and start.
    case suspended
    /// The device is awake again.
    case woken
    /// A stop was requested.
    case stopped
    /// The device was unplugged.
    case gone
    /// The signal differs from the one that the device is set up for.
    case changed
    /// Another process, which has the device, ended the stream.
    case ended(LoopResult)
    case failed(RealtimeFault)
}

/// Decides when silence is a stall. It counts the time that the loop really waited: a process or machine that was
/// frozen for a second has waited one slice, not a second.
///
/// *realtime-safe*
public struct Watchdog: BitwiseCopyable, Sendable {
    /// Silence that counts as a stall, ns: five periods or 500 ms, whichever is longer.
    private let limit: Int64
    private var quiet: Int64 = 0
    /// Silence allowed now, ns: longer before the first entry.
    private var allowed: Int64
    private var last: Int64
    /// True if data came since the clock was last read: data costs no call for the time.
    private var isFresh = false
    private var trouble: Int64 = 0
    /// Wake-ups in a row that brought nothing.
    private var idleTurns = 0
    private var hasRestarted = false

    /// Longest error state without data or a result, ns.
    static var troubleLimit: Int64 {
        @_noLocks @_noAllocation get { 150_000_000 }
    }

    /// - Parameters:
    ///   - period: Time from entry to entry in ns, 0 where it is not known.
    ///   - first: Time for the first entry, ns.
    ///   - now: CLOCK_MONOTONIC in ns.
    @_noLocks @_noAllocation
    public init(period: Int64, first: Int64, now: Int64) {
        limit = period > 100_000_000 ? period &* 5 : 500_000_000
        allowed = first > limit ? first : limit
        last = now
    }

    /// Longest wait, ms: a quarter of the patience with any device.
    public var slice: Int32 {
        @_noLocks @_noAllocation get { Int32(truncatingIfNeeded: limit / 4_000_000) }
    }

    /// Data came.
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
    ///   - now: CLOCK_MONOTONIC in ns.
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

    /// Time really waited since the last call, one slice at most. Without a reading of the clock since the last data,
    /// only a whole slice is known for certain.
    @_noLocks @_noAllocation
    private func waited(now: Int64, timedOut: Bool) -> Int64 {
        let slice = limit / 4
        if isFresh { return timedOut ? slice : 0 }
        return now &- last < slice ? now &- last : slice
    }

    /// True once the silence is a stall.
    public var hasStalled: Bool {
        @_noLocks @_noAllocation get { quiet >= allowed }
    }

    /// True once an error state has lasted too long to end by itself.
    public var isHopeless: Bool {
        @_noLocks @_noAllocation get { trouble >= Self.troubleLimit }
    }

    /// Time to wait for the control alone, ms; 0 as a rule. A descriptor that calls again and again for nothing would
    /// burn the processor.
    public var pause: Int32 {
        @_noLocks @_noAllocation get { trouble > 0 ? 20 : idleTurns > 8 ? 10 : 0 }
    }

    /// False after a restart that brought nothing: there is no second one.
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
