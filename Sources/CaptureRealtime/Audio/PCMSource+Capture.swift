import CMedia

extension PCMSource {
    /// Prepared and started by hand: after an overrun a capture PCM needs both.
    @_noLocks @_noAllocation
    public mutating func start() -> RealtimeFault? {
        unread = 0
        let prepared = unsafe cm_pcm_prepare(handle.pcm)
        if prepared < 0 { return RealtimeFault(.preparePCM, result: prepared) }
        let started = unsafe cm_pcm_start(handle.pcm)
        return started < 0 ? RealtimeFault(.startPCM, result: started) : nil
    }

    @_noLocks @_noAllocation
    public mutating func stop() {
        _ = unsafe cm_pcm_drop(handle.pcm)
    }

    /// A suspended device may take its time: until it is awake, reading says "suspended" again.
    @_noLocks @_noAllocation
    public mutating func recover(suspended: Bool) -> RealtimeFault? {
        isWaking = suspended
        if suspended {
            let resumed = unsafe cm_pcm_resume(handle.pcm)
            if resumed >= 0 { unread = unreadFrames() }
            if resumed == -EAGAIN || resumed >= 0 { return nil }
        }
        // A device that runs on all the same is busy for a second preparation.
        stop()
        return start()
    }

    /// A kernel PCM that was resumed keeps what it had.
    @_noLocks @_noAllocation
    private func unreadFrames() -> Int {
        var timestamp: Int64 = 0
        let available = unsafe cm_pcm_htimestamp(handle.pcm, &timestamp)
        return available > 0 ? Int(available) : 0
    }

    @_noLocks @_noAllocation
    public mutating func wait(control: Int32, milliseconds: Int32) -> SourceWakeup {
        let called = pollSet.wait(control: control, milliseconds: milliseconds)
        if called < 0 { return .failed(RealtimeFault(.poll, result: called)) }
        if called == 0 { return .quiet }
        // Plugins translate: their descriptors' events are not what they seem.
        let revents = unsafe cm_pcm_revents(handle.pcm, pollSet.entries, Int32(truncatingIfNeeded: pollSet.devices))
        return revents < 0 ? .trouble : pollSet.meaning(revents)
    }

    @_noLocks @_noAllocation
    public mutating func pause(control: Int32, milliseconds: Int32) {
        pollSet.pause(control: control, milliseconds: milliseconds)
    }

    @_noLocks @_noAllocation
    public mutating func read(into memory: UnsafeMutableRawPointer, frames: Int) -> AudioReadResult {
        if isWaking { return unsafe readWaking(into: memory, frames: frames) }
        var timestamp: Int64 = 0
        let available = unsafe cm_pcm_htimestamp(handle.pcm, &timestamp)
        let count = unsafe take(into: memory, frames: frames)
        guard count > 0 else { return problem(Int32(truncatingIfNeeded: count)) }
        return took(count, at: firstSample(timestamp, waiting: available > count ? available : count))
    }

    /// What is from before the sleep follows on what was read before it.
    @_noLocks @_noAllocation
    private mutating func readWaking(into memory: UnsafeMutableRawPointer, frames: Int) -> AudioReadResult {
        // SND_PCM_STATE_SUSPENDED: what snd_pcm_resume answers does not tell with every plugin.
        let state = unsafe cm_pcm_state(handle.pcm)
        if state == 7 { return .suspended }
        guard unread > 0 else {
            isWaking = false
            return .woken
        }
        let count = unsafe take(into: memory, frames: frames < unread ? frames : unread)
        guard count > 0 else { return problem(Int32(truncatingIfNeeded: count)) }
        unread &-= Int(count)
        return took(count, at: end)
    }

    @_noLocks @_noAllocation
    private func take(into memory: UnsafeMutableRawPointer, frames: Int) -> Int64 {
        unsafe isInterleaved
            ? cm_pcm_readi(handle.pcm, memory, Int64(frames)) : planes.read(handle.pcm, into: memory, frames: frames)
    }

    @_noLocks @_noAllocation
    private mutating func took(_ count: Int64, at timestamp: Int64) -> AudioReadResult {
        end = timestamp &+ SampleClock(rate: got.rate).nanoseconds(count)
        return .frames(Int(count), timestamp: timestamp)
    }

    /// The timestamp is the instant at which `waiting` frames were there; without one it is now.
    @_noLocks @_noAllocation
    private func firstSample(_ timestamp: Int64, waiting: Int64) -> Int64 {
        (timestamp > 0 ? timestamp : cm_monotonic()) &- SampleClock(rate: got.rate).nanoseconds(waiting)
    }

    @_noLocks @_noAllocation
    private func problem(_ result: Int32) -> AudioReadResult {
        switch result {
        case 0, -EAGAIN: .nothing
        case -EPIPE: .overrun
        case -ESTRPIPE: .suspended
        case -EBADFD: problemOfState()
        // Unplugged or broken: the loop tells them apart by the errno.
        default: .failed(RealtimeFault(isInterleaved ? .readPCM : .readPlanesPCM, result: result))
        }
    }

    /// EBADFD says only that the state is another one; SND_PCM_STATE_XRUN, _SUSPENDED and _DISCONNECTED say which.
    @_noLocks @_noAllocation
    private func problemOfState() -> AudioReadResult {
        switch unsafe cm_pcm_state(handle.pcm) {
        case 4: .overrun
        case 7: .suspended
        case 8: .gone
        default: .failed(RealtimeFault(isInterleaved ? .readPCM : .readPlanesPCM, result: -EBADFD))
        }
    }
}
