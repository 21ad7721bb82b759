/// Loop of the capture thread: wait, process, recover. It never allocates, locks, logs or waits for a reader, and throws nothing:
/// its outcome is a value.
///
/// A generic function can't have the fence's attributes. A function that has them calls it with a concrete source, so the compiler
/// checks it there. It exists twice, for ``AudioStream`` and for ``VideoStream``, because the compiler specializes a generic
/// type's own methods, but not those that it gets from a protocol. Both use the same decisions: ``LoopState``.
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

/// Decisions of a capture loop, without its calls: events go in, actions come out. It makes no call to the device, so tests can
/// drive it through every order of events.
///
/// *realtime-safe*
public struct LoopState: BitwiseCopyable, Sendable {
    private var watchdog: Watchdog
    @usableFromInline let word: CommitWord
    private let counters: RealtimeCounters
    /// True from a suspension to the next data: each read reports it again until the device is awake.
    private var isSuspended = false
    /// True from a wake-up until data arrives.
    private var hasWoken = false

    /// - Parameters:
    ///   - word: Stops the loop.
    ///   - counters: Receive stalls, restarts and overruns.
    ///   - period: Time from entry to entry in ns, 0 if it is not known.
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

    /// Time to wait for only the control before that, ms; 0 while the device behaves.
    public var pause: Int32 {
        @_noLocks @_noAllocation get { watchdog.pause }
    }

    /// Result of a requested stop, `nil` if there was none. Checked before each wait; a commit checks by itself.
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

    /// Decides after a wait that brought no data.
    @_noLocks @_noAllocation
    public mutating func judge(_ wakeup: SourceWakeup) -> LoopAction {
        guard case .failed(let fault) = wakeup else { return starved(inTrouble: false, timedOut: true) }
        return judge(.failed(fault), inTrouble: false)
    }

    /// Decides after processing.
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

    /// Decides after an overrun or suspension. A device that overruns again and again without a frame in between has stalled.
    @_noLocks @_noAllocation
    private mutating func broken(suspended: Bool) -> LoopAction {
        if !suspended { counters.sawXrun() }
        if suspended, !isSuspended { counters.restarted() }
        isSuspended = suspended
        let action = starved(inTrouble: false)
        guard case .goOn = action else { return action }
        return .recover(suspended: suspended)
    }

    /// Decides after a wake-up. Only the first one restarts the watchdog: a device that sleeps and wakes repeatedly without data
    /// stalls in the end.
    @_noLocks @_noAllocation
    private mutating func woken() -> LoopAction {
        guard !hasWoken else { return starved(inTrouble: false) }
        hasWoken = true
        isSuspended = false
        watchdog.fed()
        return .goOn
    }

    /// Decides after silence. A stall gets one restart. A lasting error state gets none, since a restart would hide a broken
    /// device.
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
    /// The process that owns the device ended the stream.
    case ended(LoopResult)
    case failed(RealtimeFault)
}

/// Decides when silence is a stall. It counts the time that the loop really waited: a process or machine that was frozen for a
/// second has waited one slice, not a second.
///
/// *realtime-safe*
public struct Watchdog: BitwiseCopyable, Sendable {
    /// Silence that counts as a stall, ns: five periods or 500 ms, whichever is longer.
    private let limit: Int64
    private var quiet: Int64 = 0
    /// Silence allowed now, ns: longer before the first entry.
    private var allowed: Int64
    private var last: Int64
    /// True if data arrived since the clock was last read: data causes no reading of the clock.
    private var isFresh = false
    private var trouble: Int64 = 0
    /// Wake-ups in a row without data.
    private var idleTurns = 0
    private var hasRestarted = false

    /// Longest error state without data or a result, ns.
    static var troubleLimit: Int64 {
        @_noLocks @_noAllocation get { 150_000_000 }
    }

    /// - Parameters:
    ///   - period: Time from entry to entry in ns, 0 if it is not known.
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

    /// Notes that data arrived.
    @_noLocks @_noAllocation
    public mutating func fed() {
        quiet = 0
        trouble = 0
        idleTurns = 0
        hasRestarted = false
        allowed = limit
        isFresh = true
    }

    /// Notes a wait without data.
    ///
    /// - Parameters:
    ///   - now: CLOCK_MONOTONIC in ns.
    ///   - inTrouble: True if the device shows an error state.
    ///   - timedOut: True if the whole ``slice`` has passed.
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

    /// Time to wait for only the control, ms; normally 0. A descriptor that is always ready without data would use a whole
    /// processor.
    public var pause: Int32 {
        @_noLocks @_noAllocation get { trouble > 0 ? 20 : idleTurns > 8 ? 10 : 0 }
    }

    /// False after a restart without data: there is no second restart.
    public var mayRestart: Bool {
        @_noLocks @_noAllocation get { !hasRestarted }
    }

    /// Notes a restart, which gives the device the same time again.
    @_noLocks @_noAllocation
    public mutating func restarted(now: Int64) {
        quiet = 0
        trouble = 0
        idleTurns = 0
        hasRestarted = true
        last = now
    }
}
