import CaptureBase

/// An audio source and the ring it fills.
///
/// *realtime-safe* while its loop runs
@safe
public struct AudioStream<Source: AudioSource & ~Copyable>: ~Copyable, @unchecked Sendable {
    // Sendable by hand because of `slot`: it points into the ring's memory, which `ring` keeps alive.
    @usableFromInline var source: Source
    @usableFromInline var ring: AudioRing.Producer
    @usableFromInline var accounting: AudioAccounting
    /// Where the period under way goes, and how much of it is there.
    @usableFromInline var slot: UnsafeMutableRawPointer?
    @usableFromInline var filled = 0
    @usableFromInline let periodFrames: Int
    @usableFromInline let bytesPerFrame: Int
    public let word: CommitWord
    public let counters: RealtimeCounters
    public let periodNanoseconds: Int64
    public let patienceNanoseconds: Int64 = 2_000_000_000
    // Keep alive what `word` and `counters` point at.
    private let control: LoopControl
    private let owner: CaptureCounters

    init(
        _ source: consuming Source, ring: consuming AudioRing.Producer, control: LoopControl, counters: CaptureCounters
    ) {
        let settings = source.settings
        self.source = source
        self.ring = ring
        accounting = AudioAccounting(settings, counters.realtime)
        periodFrames = settings.periodFrames
        bytesPerFrame = settings.bytesPerFrame
        periodNanoseconds = settings.periodNanoseconds
        word = control.word
        self.counters = counters.realtime
        self.control = control
        owner = counters
    }
}

extension AudioStream: CaptureRun where Source: ~Copyable {
    public var allowsRealtimePriority: Bool { source.allowsRealtimePriority }

    public func report(_ priority: RealtimePriority) { owner.report(priority) }

    public func hangDetector(patience: Duration) -> HangDetector? {
        HangDetector(control, owner, patience: patience, period: periodNanoseconds, giveUp: ring.giveUp)
    }

    public mutating func capture() -> LoopResult { Source.capture(&self) }

    public consuming func finish(_ result: LoopResult) {
        discard(source)
        ring.finish(result)
    }
}

/// Ends a value's life here.
func discard<Value: ~Copyable>(_ value: consuming Value) {}

/// An audio source made ready: the stream for a ``RealtimeQueue`` and the reader of what it captures. Take both fields.
///
/// *session-bound*
@frozen
public struct AudioCapture<Source: AudioSource & ~Copyable>: ~Copyable {
    public var stream: AudioStream<Source>
    public var consumer: AudioRing.Consumer

    /// - Parameters:
    ///   - slots: Periods that the ring holds, 2 upwards; 0 for two seconds of them.
    ///   - control: For this capture alone.
    /// - Throws: `memfd_create`, `mmap` or `eventfd`, as the system says: close something, and try again.
    public init(
        _ source: consuming Source, slots: Int = 0, control: LoopControl, counters: CaptureCounters
    ) throws(RealtimeFault) {
        let settings = source.settings
        let twoSeconds = max(4, 2 * settings.rate / settings.periodFrames)
        let endpoints = try AudioRing.make(
            slots: slots == 0 ? twoSeconds : slots, slotBytes: settings.periodFrames * settings.bytesPerFrame,
            control: control)
        stream = AudioStream(source, ring: endpoints.producer, control: control, counters: counters)
        consumer = endpoints.consumer
    }
}

// The loop, and the conformance of the module's own source, stand in one file: without whole-module compilation the
// compiler specializes, and so checks through, what it finds in the same file or in another module, and nothing else.

extension CaptureLoop {
    /// Runs until asked to stop or until the source ends.
    @inlinable
    public static func run<Source: AudioSource & ~Copyable>(_ stream: inout AudioStream<Source>) -> LoopResult {
        var state = LoopState(
            stream.word, stream.counters, period: stream.periodNanoseconds, patience: stream.patienceNanoseconds)
        stream.counters.began()
        let result = repeated(&stream, &state)
        stream.counters.decided(result)
        stream.stop()
        return result
    }

    @inlinable
    static func repeated<Source: AudioSource & ~Copyable>(
        _ stream: inout AudioStream<Source>, _ state: inout LoopState
    ) -> LoopResult {
        if let result = state.stop() { return result }
        var result = state.end(stream.start())
        while true {
            if let result { return result }
            switch stream.turn(&state) {
            case .goOn: break
            case .recover(let suspended): result = state.end(stream.recover(suspended: suspended))
            case .restart: result = state.end(stream.restart())
            case .end(let end): return end
            }
        }
    }
}

extension PCMSource: AudioSource {
    @_noLocks @_noAllocation
    public static func capture(_ stream: inout AudioStream<PCMSource>) -> LoopResult {
        CaptureLoop.run(&stream)
    }
}

extension AudioStream where Source: ~Copyable {
    @inlinable
    mutating func start() -> RealtimeFault? {
        accounting.start()
        return source.start()
    }

    /// One wake-up.
    @inlinable
    mutating func turn(_ state: inout LoopState) -> LoopAction {
        if let result = state.stop() { return .end(result) }
        let pause = state.pause
        if pause > 0 { source.pause(control: word.descriptor, milliseconds: pause) }
        let wakeup = source.wait(control: word.descriptor, milliseconds: state.slice)
        switch wakeup {
        case .ready: return state.judge(process(), inTrouble: false)
        case .trouble: return state.judge(process(), inTrouble: true)
        case .quiet, .failed: return state.judge(wakeup)
        }
    }

    @inlinable
    mutating func recover(suspended: Bool) -> RealtimeFault? {
        isStopped ? nil : source.recover(suspended: suspended)
    }

    /// A device may take its time to stop: one that may not be heard any more by then is not started again.
    @inlinable
    var isStopped: Bool {
        if case .some = word.result() { true } else { false }
    }

    @inlinable
    mutating func restart() -> RealtimeFault? {
        _ = interrupted(.progress, FrameFlags.restarted)
        source.stop()
        return isStopped ? nil : source.start()
    }

    @inlinable
    mutating func stop() {
        source.stop()
    }
}

extension AudioStream where Source: ~Copyable {
    /// Reads once, straight into the ring.
    @inlinable
    mutating func process() -> LoopStep {
        let slot = unsafe openSlot()
        switch unsafe source.read(into: slot + filled &* bytesPerFrame, frames: periodFrames &- filled) {
        case .frames(let count, let timestamp): return took(count, timestamp)
        case .nothing: return .idle
        case .overrun: return interrupted(.overrun, FrameFlags.xrun)
        case .suspended: return last(.suspended)
        case .woken: return interrupted(.woken, FrameFlags.suspended)
        case .gone: return last(.gone)
        case .failed(let fault): return last(.failed(fault))
        }
    }

    @inlinable
    mutating func openSlot() -> UnsafeMutableRawPointer {
        if let slot = unsafe slot { return unsafe slot }
        let claimed = unsafe ring.claim()
        unsafe slot = claimed
        return unsafe claimed
    }

    @inlinable
    mutating func took(_ count: Int, _ timestamp: Int64) -> LoopStep {
        if filled == 0 { accounting.open(timestamp) }
        filled &+= count
        return filled < periodFrames ? .progress : commit()
    }

    /// What was read before the interruption is good, if short.
    @inlinable
    mutating func interrupted(_ step: LoopStep, _ flag: FrameFlags) -> LoopStep {
        let step = last(step)
        accounting.broke(flag)
        return step
    }

    @inlinable
    mutating func last(_ step: LoopStep) -> LoopStep {
        if case .stopped = commit() { return .stopped }
        return step
    }

    /// Publishes or drops what was read, if anything.
    @inlinable
    mutating func commit() -> LoopStep {
        guard filled > 0 else { return .progress }
        let header = accounting.close(frames: filled)
        filled = 0
        unsafe slot = nil
        guard !ring.isDropping else {
            accounting.dropped(header)
            return .progress
        }
        guard ring.commit(header) else { return .stopped }
        accounting.committed(header)
        return .progress
    }
}
