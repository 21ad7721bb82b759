import CaptureBase

// The loop, and the conformance of the module's own source, stand in one file: without whole-module compilation the
// compiler specializes, and so checks through, what it finds in the same file or in another module, and nothing else.

extension CaptureLoop {
    /// Runs until asked to stop or until the source ends.
    @inlinable
    public static func run<Source: VideoSource & ~Copyable>(_ track: inout VideoTrack<Source>) -> LoopResult {
        var state = LoopState(
            track.word, track.counters, period: track.periodNanoseconds, patience: track.patienceNanoseconds)
        track.counters.began()
        let result = repeated(&track, &state)
        track.counters.decided(result)
        track.stop()
        return result
    }

    @inlinable
    static func repeated<Source: VideoSource & ~Copyable>(
        _ track: inout VideoTrack<Source>, _ state: inout LoopState
    ) -> LoopResult {
        if let result = state.stop() { return result }
        var result = state.end(track.start())
        while true {
            if let result { return result }
            switch track.turn(&state) {
            case .goOn, .recover: break
            case .restart: result = state.end(track.restart())
            case .end(let end): return end
            }
        }
    }
}

extension CameraSource: VideoSource {
    @_noLocks @_noAllocation
    public static func capture(_ track: inout VideoTrack<CameraSource>) -> LoopResult {
        CaptureLoop.run(&track)
    }
}

extension VideoTrack where Source: ~Copyable {
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
    mutating func stop() {
        source.stop()
    }
}

extension VideoTrack where Source: ~Copyable {
    /// The device keeps two buffers at least: one that it fills, and one to go on with.
    @inlinable
    static var leastQueued: Int {
        @_noLocks @_noAllocation get { 2 }
    }

    @inlinable
    mutating func start() -> RealtimeFault? {
        ledger.start()
        for buffer in 0..<bufferCount {
            if let fault = queue(buffer) { return fault }
        }
        return source.start()
    }

    /// The device gives all its buffers back when it stops; those with the reader stay there.
    @inlinable
    mutating func restart() -> RealtimeFault? {
        ledger.restarted()
        source.stop()
        // It may have taken its time: a camera that may not be seen any more by then is not started again.
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
        case .news(let news): return told(news)
        case .gone: return .gone
        case .failed(let fault): return .failed(fault)
        }
    }

    /// What changes nothing for the pictures is no data, and no trouble.
    @inlinable
    mutating func told(_ news: SignalNews) -> LoopStep {
        switch news {
        case .state(let state):
            ledger.told(state)
            return .idle
        case .changed(let shape):
            counters.told(shape)
            return .changed
        case .over: return .failed(RealtimeFault.streamOver)
        }
    }

    @inlinable
    mutating func took(_ buffer: FilledBuffer) -> LoopStep {
        guard ledger.arrived(buffer) else { return requeued(buffer.index) }
        let header = ledger.header(buffer)
        while queued.nonzeroBitCount < Self.leastQueued {
            let stolen = ring.steal(counters)
            guard stolen >= 0 else {
                ledger.dropped()
                return requeued(buffer.index)
            }
            if let fault = queue(stolen) { return .failed(fault) }
        }
        guard ring.commit(buffer.index, header, buffer.planes) else { return .stopped }
        ledger.committed(header)
        return .progress
    }

    @inlinable
    mutating func requeued(_ buffer: Int) -> LoopStep {
        if let fault = queue(buffer) { return .failed(fault) }
        return .progress
    }

    /// Gives the device what the reader is done with.
    @inlinable
    mutating func reclaim() -> RealtimeFault? {
        var buffer = ring.takeReturned()
        while buffer >= 0 {
            if let fault = queue(buffer) { return fault }
            buffer = ring.takeReturned()
        }
        return nil
    }

    @inlinable
    mutating func queue(_ buffer: Int) -> RealtimeFault? {
        queued |= 1 << UInt32(truncatingIfNeeded: buffer)
        return source.queue(buffer)
    }
}
