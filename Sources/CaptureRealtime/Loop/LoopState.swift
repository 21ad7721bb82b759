import CMedia

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
