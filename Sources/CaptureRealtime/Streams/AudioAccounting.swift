import CaptureBase

/// Frame accounting of one audio loop: position, losses and timestamps of its periods.
///
/// *realtime-safe*
@usableFromInline
struct AudioAccounting: BitwiseCopyable, Sendable {
    private let clock: SampleClock
    private let bytesPerFrame: Int
    private let interval: Int64
    private let counters: RealtimeCounters
    /// Number of the next frame since the start, lost ones included.
    private var position: UInt64 = 0
    /// Running totals: the reader forms the differences, so a dropped period can't hide what was lost before it.
    private var totals = Loss()
    private var timestamps = MonotonicTimestamps()
    /// Timestamp of the current period: that of its first frame.
    private var timestamp: Int64 = 0
    /// Frames of the last period: with its timestamp they show when the next one is due.
    private var lastFrames: Int64 = 0
    private var flags = FrameFlags(rawValue: 0)
    /// True from an interruption to the next frames, which show how long it was.
    private var isBroken = false

    @usableFromInline
    init(_ settings: PCMSettings, _ counters: RealtimeCounters) {
        clock = SampleClock(rate: settings.rate)
        bytesPerFrame = settings.bytesPerFrame
        interval = settings.periodNanoseconds
        self.counters = counters
    }

    /// Sets the oldest timestamp to accept. Call it before the device is started.
    @usableFromInline @_noLocks @_noAllocation
    mutating func start() {
        timestamps.start(now: MonotonicClock.now)
    }

    /// Begins a period with its first frames.
    ///
    /// - Parameter deviceTimestamp: CLOCK_MONOTONIC in ns, 0 for none.
    @usableFromInline @_noLocks @_noAllocation
    mutating func open(_ deviceTimestamp: Int64) {
        let due = timestamps.last &+ clock.nanoseconds(lastFrames)
        let isFirst = timestamps.last == 0
        timestamp = timestamps.take(deviceTimestamp, interval: interval, intervals: 1, counters, &flags)
        if isBroken, !isFirst { lost(clock.frames(timestamp &- due)) }
        isBroken = false
    }

    /// Counts a gap in a stream that continues.
    @usableFromInline @_noLocks @_noAllocation
    mutating func skipped(_ frames: UInt64) {
        position &+= frames
        totals.device &+= frames
        counters.lostByDevice(frames)
        flags.add(FrameFlags.gap)
    }

    /// Counts an interruption. Only the clock shows its length: ALSA reports that a PCM overran, not how many frames it dropped.
    @_noLocks @_noAllocation
    private mutating func lost(_ frames: UInt64) {
        if flags.holds(FrameFlags.xrun) { counters.lostByXrun(frames) }
        skipped(frames)
    }

    /// Header of a complete period; the next one begins after it.
    @usableFromInline @_noLocks @_noAllocation
    mutating func close(frames: Int) -> FrameHeader {
        let header = FrameHeader(
            sequence: position, timestamp: timestamp, byteCount: frames &* bytesPerFrame, frameCount: frames,
            flags: flags,
            lost: totals)
        position &+= UInt64(frames)
        lastFrames = Int64(frames)
        return header
    }

    /// Counts a period that the ring has taken. Its flags are delivered with it.
    @usableFromInline @_noLocks @_noAllocation
    mutating func committed(_ header: FrameHeader) {
        counters.committed(header)
        flags = FrameFlags(rawValue: 0)
    }

    /// Counts a period that found no free slot. The flags stay for the next one: they describe what happened before it,
    /// too.
    @usableFromInline @_noLocks @_noAllocation
    mutating func dropped(_ header: FrameHeader) {
        totals.ring &+= UInt64(header.frameCount)
        counters.lostInRing(UInt64(header.frameCount))
    }

    /// Marks the stream as interrupted.
    @usableFromInline @_noLocks @_noAllocation
    mutating func broke(_ flag: FrameFlags) {
        isBroken = true
        flags.add(flag)
    }
}
