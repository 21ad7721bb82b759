import CMedia
import CaptureBase

/// An ALSA capture device, opened and negotiated; deinit closes it.
///
/// *session-bound*; *realtime-safe* while its loop runs
@safe
public struct PCMSource: ~Copyable, @unchecked Sendable {
    // `@unchecked Sendable`: only this value owns the pointers.
    public let asked: PCMSettings
    /// Obtained parameters.
    public let got: PCMSettings
    /// True if the device interleaves its channels; the ring gets interleaved frames in either case.
    public let isInterleaved: Bool
    public let kind: PCMType
    /// False for anything but a kernel device and libasound's conversions: other plugins may spin or call a server.
    public let allowsRealtimePriority: Bool
    /// Devices of sound cards that the PCM captures from.
    public let hardware: PCMHardware

    let handle: PCMHandle
    let pollSet: PollSet
    let planes: PlanarReader
    /// End of the last frame read, CLOCK_MONOTONIC in ns.
    var end: Int64 = 0
    /// Frames from before a sleep that are still to be read.
    var unread = 0
    /// True until a sleep was reported to the loop.
    var isWaking = false

    /// Opens a PCM and negotiates with it. Nothing is captured before the loop starts it.
    ///
    /// - Parameters:
    ///   - name: ALSA's name: `hw:0,0`, `default` …
    ///   - asked: Requested parameters.
    /// - Throws: ENOENT or ENODEV: there is no such device. EBUSY: another process holds it. EACCES: the node's
    ///   permissions refuse. EINVAL in a negotiating call: the device supports nothing of the kind. The corresponding C
    ///   function is `snd_pcm_open`.
    package init(opening name: String, asked: PCMSettings = PCMSettings()) throws(RealtimeFault) {
        let handle = try PCMHandle(opening: name)
        let hardware = try PCMHardware(of: handle)
        var negotiated = try PCMNegotiation(handle, asked: asked)
        try negotiated.negotiate()
        let count = try unsafe checked(.descriptorsPCM, cm_pcm_descriptor_count(handle.pcm))
        let pollSet = PollSet(devices: Int(count))
        _ = try unsafe checked(.descriptorsPCM, cm_pcm_descriptors(handle.pcm, pollSet.entries, count))
        self.asked = asked
        got = negotiated.got
        isInterleaved = negotiated.isInterleaved
        kind = PCMType(rawValue: unsafe cm_pcm_type(handle.pcm))
        self.hardware = hardware
        // A conversion in front of a sound server has no card.
        allowsRealtimePriority = kind.isHardwareOrConversion && !hardware.names.isEmpty
        planes = PlanarReader(negotiated.got)
        self.handle = handle
        self.pollSet = pollSet
    }

    public var settings: PCMSettings { got }
}

extension PCMSource {
    /// Prepares and starts explicitly: after an overrun a capture PCM needs both calls.
    @_noLocks @_noAllocation
    public mutating func start() -> RealtimeFault? {
        unread = 0
        let prepared = unsafe cm_pcm_prepare(handle.pcm)
        if prepared < 0 { return RealtimeFault(.preparePCM, result: prepared) }
        let started = unsafe cm_pcm_start(handle.pcm)
        return started < 0 ? RealtimeFault(.startPCM, result: started) : nil
    }

    /// Drops what the device holds (`snd_pcm_drop`): draining would wait for it.
    @_noLocks @_noAllocation
    public mutating func stop() {
        _ = unsafe cm_pcm_drop(handle.pcm)
    }

    /// Resumes or restarts the device. A suspended device may need time: until it is awake, each read reports the suspension
    /// again.
    @_noLocks @_noAllocation
    public mutating func recover(suspended: Bool) -> RealtimeFault? {
        isWaking = suspended
        if suspended {
            let resumed = unsafe cm_pcm_resume(handle.pcm)
            if resumed >= 0 { unread = unreadFrames() }
            if resumed == -EAGAIN || resumed >= 0 { return nil }
        }
        // A driver that continued during the sleep answers a second preparation with EBUSY, so it is stopped first.
        stop()
        return start()
    }

    /// Frames that a kernel PCM kept across a suspension.
    @_noLocks @_noAllocation
    private func unreadFrames() -> Int {
        var timestamp: Int64 = 0
        let available = unsafe cm_pcm_htimestamp(handle.pcm, &timestamp)
        return available > 0 ? Int(available) : 0
    }

    /// Waits for the PCM's descriptors or the control.
    @_noLocks @_noAllocation
    public mutating func wait(control: Int32, milliseconds: Int32) -> SourceWakeup {
        let called = pollSet.wait(control: control, milliseconds: milliseconds)
        if called < 0 { return .failed(RealtimeFault(.poll, result: called)) }
        if called == 0 { return .quiet }
        // A plugin's descriptors are not its events: libasound translates them (`snd_pcm_poll_descriptors_revents`).
        let revents = unsafe cm_pcm_revents(handle.pcm, pollSet.entries, Int32(truncatingIfNeeded: pollSet.devices))
        return revents < 0 ? .trouble : pollSet.meaning(revents)
    }

    @_noLocks @_noAllocation
    public mutating func pause(control: Int32, milliseconds: Int32) {
        pollSet.pause(control: control, milliseconds: milliseconds)
    }

    /// Reads frames with their time. The timestamp is read first: it is the time at which the waiting frames were available, and
    /// the frames read must be among them.
    @_noLocks @_noAllocation
    public mutating func read(into memory: UnsafeMutableRawPointer, frames: Int) -> AudioReadResult {
        if isWaking { return unsafe readWaking(into: memory, frames: frames) }
        var timestamp: Int64 = 0
        let available = unsafe cm_pcm_htimestamp(handle.pcm, &timestamp)
        let count = unsafe take(into: memory, frames: frames)
        guard count > 0 else { return problem(Int32(truncatingIfNeeded: count)) }
        return took(count, at: firstSample(timestamp, waiting: available > count ? available : count))
    }

    /// Reads frames from before the sleep, which continue those already read.
    @_noLocks @_noAllocation
    private mutating func readWaking(into memory: UnsafeMutableRawPointer, frames: Int) -> AudioReadResult {
        // SND_PCM_STATE_SUSPENDED. Not every plugin shows it in the result of snd_pcm_resume.
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

    /// Interleaved frames in any case: a device with separate channels is read channel by channel and interleaved.
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

    /// Time of the first sample. The timestamp is the time at which `waiting` frames were available; without one, the current time
    /// is used.
    @_noLocks @_noAllocation
    private func firstSample(_ timestamp: Int64, waiting: Int64) -> Int64 {
        (timestamp > 0 ? timestamp : cm_monotonic()) &- SampleClock(rate: got.rate).nanoseconds(waiting)
    }

    /// Meaning of a negative result of reading.
    @_noLocks @_noAllocation
    private func problem(_ result: Int32) -> AudioReadResult {
        switch result {
        case 0, -EAGAIN: .nothing
        case -EPIPE: .overrun
        case -ESTRPIPE: .suspended
        case -EBADFD: problemOfState()
        // Unplugged or broken: the errno shows the loop which.
        default: .failed(RealtimeFault(isInterleaved ? .readPCM : .readPlanesPCM, result: result))
        }
    }

    /// Meaning of EBADFD, which only reports a wrong state; SND_PCM_STATE_XRUN, _SUSPENDED and _DISCONNECTED show which one.
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

/// Reader of devices with separate channels: it interleaves them, since all code above handles only interleaved frames.
///
/// *realtime-safe*
@safe
struct PlanarReader: ~Copyable, @unchecked Sendable {
    // `@unchecked Sendable`: only this value owns the pointers.
    private let memory: UnsafeMutableRawPointer
    private let channels: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    private let channelCount: Int
    private let sampleBytes: Int

    /// Reserves one period for each channel, so that reading never allocates.
    init(_ settings: PCMSettings) {
        channelCount = settings.channels
        sampleBytes = settings.format.bytesPerSample
        let plane = settings.periodFrames * sampleBytes
        unsafe memory = .allocate(byteCount: plane * channelCount, alignment: 64)
        unsafe channels = .allocate(capacity: channelCount)
        for channel in 0..<channelCount {
            unsafe (channels + channel).initialize(to: memory + channel * plane)
        }
    }

    deinit {
        unsafe channels.deallocate()
        unsafe memory.deallocate()
    }

    /// Reads frames and interleaves them.
    ///
    /// - Parameters:
    ///   - pcm: The open device.
    ///   - target: Memory for the interleaved frames.
    ///   - frames: At most a period.
    /// - Returns: The result of `snd_pcm_readn`.
    @_noLocks @_noAllocation
    func read(_ pcm: OpaquePointer, into target: UnsafeMutableRawPointer, frames: Int) -> Int64 {
        let count = unsafe cm_pcm_readn(pcm, channels, Int64(frames))
        guard count > 0 else { return count }
        unsafe weave(into: target, frames: Int(count))
        return count
    }

    /// Buffer of one channel's samples.
    @_noLocks @_noAllocation
    func plane(_ channel: Int) -> UnsafeMutableRawPointer? {
        unsafe channels[channel]
    }

    /// Interleaves the frames of all channels.
    @_noLocks @_noAllocation
    func weave(into target: UnsafeMutableRawPointer, frames: Int) {
        for channel in 0..<channelCount {
            guard let source = unsafe plane(channel) else { continue }
            unsafe weave(source, into: target + channel &* sampleBytes, frames: frames)
        }
    }

    /// Copies one channel's samples to their positions in the frames.
    @_noLocks @_noAllocation
    private func weave(_ source: UnsafeMutableRawPointer, into target: UnsafeMutableRawPointer, frames: Int) {
        for frame in 0..<frames {
            unsafe (target + frame &* channelCount &* sampleBytes).copyMemory(
                from: source + frame &* sampleBytes, byteCount: sampleBytes)
        }
    }
}
