import CaptureBase

/// An audio source and the ring that it fills.
///
/// *realtime-safe* while its loop runs
@safe
public struct AudioStream<Source: AudioSource & ~Copyable>: ~Copyable, @unchecked Sendable {
    // `@unchecked Sendable`: `slot` points into the ring's memory, which `ring` keeps alive.
    @usableFromInline var source: Source
    @usableFromInline var ring: AudioRing.Producer
    @usableFromInline var accounting: AudioAccounting
    /// Slot of the current period, and the number of frames already in it.
    @usableFromInline var slot: UnsafeMutableRawPointer?
    @usableFromInline var filled = 0
    @usableFromInline let periodFrames: Int
    @usableFromInline let bytesPerFrame: Int
    public let word: CommitWord
    public let counters: RealtimeCounters
    public let periodNanoseconds: Int64
    /// Time for the first period, ns: a device may need longer to start than to deliver.
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

    public func report(_ priority: ThreadPriority) { owner.report(priority) }

    public func hangDetector(patience: Duration) -> HangDetector? {
        HangDetector(control, owner, patience: patience, period: periodNanoseconds, giveUp: ring.giveUp)
    }

    public mutating func capture() -> LoopResult { Source.capture(&self) }

    /// The device is closed before the reader learns of the end: a reader that opens it again must not find it busy.
    public consuming func finish(_ result: LoopResult) {
        discard(source)
        ring.finish(result)
    }
}

/// Ends the lifetime of a value, which for a noncopyable one runs its deinit here and not at the end of the scope.
func discard<Value: ~Copyable>(_ value: consuming Value) {}

/// A prepared audio source: the stream for a ``RealtimeQueue`` and the reader of its ring. Take both fields.
///
/// *session-bound*
@frozen
public struct AudioCapture<Source: AudioSource & ~Copyable>: ~Copyable {
    public var stream: AudioStream<Source>
    public var consumer: AudioRing.Consumer

    /// Makes the ring and binds the source to it. The device is not started.
    ///
    /// - Parameters:
    ///   - source: Consumed: the stream owns it.
    ///   - slots: Periods that the ring holds, 2 or more; 0 for two seconds of them.
    ///   - control: Used by this capture alone: a commit counts in its word.
    ///   - counters: Receives the stream's counts.
    /// - Throws: The error of `memfd_create`, `mmap` or `eventfd`: close descriptors or free memory, and try again.
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

// The loop and the conformances of the module's own sources are in one file: without whole-module compilation the compiler
// specializes, and so checks, only code in the same file or in another module.

extension CaptureLoop {
    /// Runs until the loop is asked to stop or the source ends. The result is published before the device is stopped,
    /// since stopping may hang.
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

    /// Runs turns until one ends the loop. A start that fails goes through the same check as a recovery that fails.
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

extension SharedMicrophone: AudioSource {
    @_noLocks @_noAllocation
    package static func capture(_ stream: inout AudioStream<SharedMicrophone>) -> LoopResult {
        CaptureLoop.run(&stream)
    }
}

extension AudioStream where Source: ~Copyable {
    @inlinable
    mutating func start() -> RealtimeFault? {
        accounting.start()
        return source.start()
    }

    /// Waits once and handles the result.
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

    /// Prepares or resumes the device, unless the loop is to stop.
    @inlinable
    mutating func recover(suspended: Bool) -> RealtimeFault? {
        isStopped ? nil : source.recover(suspended: suspended)
    }

    /// True once a stop was requested. A device may take long to stop, and a revoked one must not be started again.
    @inlinable
    var isStopped: Bool {
        if case .some = word.result() { true } else { false }
    }

    /// Stops and starts a device that delivers nothing.
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
        case .skipped(let frames): return skipped(frames)
        case .gone: return last(.gone)
        case .ended(let result): return last(.ended(result))
        case .failed(let fault): return last(.failed(fault))
        }
    }

    /// Slot of the current period; claims one if none is open.
    @inlinable
    mutating func openSlot() -> UnsafeMutableRawPointer {
        if let slot = unsafe slot { return unsafe slot }
        let claimed = unsafe ring.claim()
        unsafe slot = claimed
        return unsafe claimed
    }

    /// Adds frames to the current period, and publishes it once it is full.
    @inlinable
    mutating func took(_ count: Int, _ timestamp: Int64) -> LoopStep {
        if filled == 0 { accounting.open(timestamp) }
        filled &+= count
        return filled < periodFrames ? .progress : commit()
    }

    /// Publishes the short period read before an interruption, since its frames are valid.
    @inlinable
    mutating func interrupted(_ step: LoopStep, _ flag: FrameFlags) -> LoopStep {
        let step = last(step)
        accounting.broke(flag)
        return step
    }

    /// Publishes the short period read before a gap, whose length the source knows.
    @inlinable
    mutating func skipped(_ frames: UInt64) -> LoopStep {
        let step = last(.progress)
        accounting.skipped(frames)
        return step
    }

    /// Publishes the current period before `step` is reported; a requested stop has priority.
    @inlinable
    mutating func last(_ step: LoopStep) -> LoopStep {
        if case .stopped = commit() { return .stopped }
        return step
    }

    /// Publishes the frames read so far, or counts them as dropped. Does nothing if there are none.
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
