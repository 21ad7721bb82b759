import CaptureBase

/// A video source and the ring that lends its buffers.
///
/// *realtime-safe* while its loop runs
public struct VideoStream<Source: VideoSource & ~Copyable>: ~Copyable {
    @usableFromInline var source: Source
    @usableFromInline var ring: VideoRing.Producer
    @usableFromInline var accounting: VideoAccounting
    /// Buffers with the device, one bit each.
    @usableFromInline var queued: UInt32 = 0
    @usableFromInline let bufferCount: Int
    public let word: CommitWord
    public let counters: RealtimeCounters
    public let periodNanoseconds: Int64
    /// Time for the first frame, ns: a camera may need seconds to wake its sensor and settle the exposure.
    public let patienceNanoseconds: Int64 = 3_000_000_000
    // Keep alive what `word` and `counters` point at.
    private let control: LoopControl
    private let owner: CaptureCounters

    init(
        _ source: consuming Source, ring: consuming VideoRing.Producer, control: LoopControl, counters: CaptureCounters
    ) {
        let format = source.format
        bufferCount = source.buffers.count
        self.source = source
        self.ring = ring
        accounting = VideoAccounting(format, counters.realtime)
        periodNanoseconds = format.bufferNanoseconds
        word = control.word
        self.counters = counters.realtime
        self.control = control
        owner = counters
    }
}

extension VideoStream: CaptureRun where Source: ~Copyable {
    public var allowsRealtimePriority: Bool { source.allowsRealtimePriority }

    public func report(_ priority: ThreadPriority) { owner.report(priority) }

    public func hangDetector(patience: Duration) -> HangDetector? {
        HangDetector(control, owner, patience: patience, period: periodNanoseconds, giveUp: ring.giveUp)
    }

    public mutating func capture() -> LoopResult { Source.capture(&self) }

    /// The device is closed before the reader learns of the end: a reader that opens it again must not find it busy.
    public consuming func finish(_ result: LoopResult) {
        discard(source)
        ring.finish(result, counters)
    }
}

/// A prepared video source: the stream for a ``RealtimeQueue`` and the reader of its ring. Take both fields.
///
/// *session-bound*
@frozen
public struct VideoCapture<Source: VideoSource & ~Copyable>: ~Copyable {
    public var stream: VideoStream<Source>
    public var consumer: VideoRing.Consumer

    /// Makes the ring and binds the source to it. The device is not started.
    ///
    /// - Parameters:
    ///   - source: Consumed: the stream owns it.
    ///   - control: Used by this capture alone: a commit counts in its word.
    ///   - counters: Receives the stream's counts.
    /// - Throws: `eventfd`'s error: close descriptors, and try again.
    public init(_ source: consuming Source, control: LoopControl, counters: CaptureCounters) throws(RealtimeFault) {
        let endpoints = try VideoRing.make(buffers: source.buffers, control: control)
        stream = VideoStream(source, ring: endpoints.producer, control: control, counters: counters)
        consumer = endpoints.consumer
    }
}

// The loop and the conformances of the module's own sources are in one file: without whole-module compilation the compiler
// specializes, and so checks, only code in the same file or in another module.

extension CaptureLoop {
    /// Runs until the loop is asked to stop or the source ends. The result is published before the device is stopped,
    /// since stopping may hang.
    @inlinable
    public static func run<Source: VideoSource & ~Copyable>(_ stream: inout VideoStream<Source>) -> LoopResult {
        var state = LoopState(
            stream.word, stream.counters, period: stream.periodNanoseconds, patience: stream.patienceNanoseconds)
        stream.counters.began()
        let result = repeated(&stream, &state)
        stream.counters.decided(result)
        stream.stop()
        return result
    }

    /// Runs turns until one ends the loop. A start that fails goes through the same check as a restart that fails.
    @inlinable
    static func repeated<Source: VideoSource & ~Copyable>(
        _ stream: inout VideoStream<Source>, _ state: inout LoopState
    ) -> LoopResult {
        if let result = state.stop() { return result }
        var result = state.end(stream.start())
        while true {
            if let result { return result }
            switch stream.turn(&state) {
            case .goOn, .recover: break
            case .restart: result = state.end(stream.restart())
            case .end(let end): return end
            }
        }
    }
}

extension CameraSource: VideoSource {
    @_noLocks @_noAllocation
    public static func capture(_ stream: inout VideoStream<CameraSource>) -> LoopResult {
        CaptureLoop.run(&stream)
    }
}

extension SharedCamera: VideoSource {
    @_noLocks @_noAllocation
    package static func capture(_ stream: inout VideoStream<SharedCamera>) -> LoopResult {
        CaptureLoop.run(&stream)
    }
}

extension VideoStream where Source: ~Copyable {
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

    @inlinable
    mutating func stop() {
        source.stop()
    }
}

extension VideoStream where Source: ~Copyable {
    /// Minimum of buffers that the device keeps: one that it fills, and one to continue with.
    @inlinable
    static var leastQueued: Int {
        @_noLocks @_noAllocation get { 2 }
    }

    /// Queues all buffers and starts the device.
    @inlinable
    mutating func start() -> RealtimeFault? {
        accounting.start()
        for buffer in 0..<bufferCount {
            if let fault = queue(buffer) { return fault }
        }
        return source.start()
    }

    /// Stops and starts a device that delivers nothing. It returns all its buffers when it stops; those with the reader stay
    /// there.
    @inlinable
    mutating func restart() -> RealtimeFault? {
        accounting.restarted()
        source.stop()
        // Stopping may take long, and a revoked camera must not be started again.
        if case .some = word.result() { return nil }
        let free = queued
        queued = 0
        for buffer in 0..<bufferCount where free & 1 << UInt32(truncatingIfNeeded: buffer) != 0 {
            if let fault = queue(buffer) { return fault }
        }
        if let fault = reclaim() { return fault }
        return source.start()
    }

    /// Takes one filled buffer into the ring.
    @inlinable
    mutating func process() -> LoopStep {
        if let fault = reclaim() { return .failed(fault) }
        switch source.dequeue() {
        case .buffer(let buffer):
            queued &= ~(1 << UInt32(truncatingIfNeeded: buffer.index))
            return took(buffer)
        case .nothing: return .idle
        case .news(let news): return note(news)
        case .gone: return .gone
        case .ended(let result): return .ended(result)
        case .failed(let fault): return .failed(fault)
        }
    }

    /// Handles news of the signal. A state that changes nothing for the frames counts as neither data nor trouble.
    @inlinable
    mutating func note(_ news: SignalEvent) -> LoopStep {
        switch news {
        case .state(let state):
            accounting.note(state)
            return .idle
        case .changed(let shape):
            counters.note(shape)
            return .changed
        case .over: return .failed(RealtimeFault.streamOver)
        }
    }

    /// Publishes a whole frame. Before that, steals the oldest unread frames until the device has buffers to continue with.
    @inlinable
    mutating func took(_ buffer: DequeuedBuffer) -> LoopStep {
        guard accounting.arrived(buffer) else { return requeued(buffer.index) }
        let header = accounting.header(buffer)
        while queued.nonzeroBitCount < Self.leastQueued {
            let stolen = ring.steal(counters)
            guard stolen >= 0 else {
                accounting.dropped()
                return requeued(buffer.index)
            }
            if let fault = queue(stolen) { return .failed(fault) }
        }
        guard ring.commit(buffer.index, header, buffer.planes) else { return .stopped }
        accounting.committed(header)
        return .progress
    }

    /// Returns a buffer without a frame to publish to the device.
    @inlinable
    mutating func requeued(_ buffer: Int) -> LoopStep {
        if let fault = queue(buffer) { return .failed(fault) }
        return .progress
    }

    /// Returns the buffers that the reader has finished with to the device.
    @inlinable
    mutating func reclaim() -> RealtimeFault? {
        var buffer = ring.takeReturned()
        while buffer >= 0 {
            if let fault = queue(buffer) { return fault }
            buffer = ring.takeReturned()
        }
        return nil
    }

    /// Gives a buffer to the device and remembers that it is there.
    @inlinable
    mutating func queue(_ buffer: Int) -> RealtimeFault? {
        queued |= 1 << UInt32(truncatingIfNeeded: buffer)
        return source.queue(buffer)
    }
}
