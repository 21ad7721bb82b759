import CMedia
import CaptureBase

/// The books of one audio loop: position, loss and time timestamps.
///
/// *realtime-safe*
@usableFromInline
struct AudioAccounting: BitwiseCopyable, Sendable {
    private let clock: SampleClock
    private let bytesPerFrame: Int
    private let interval: Int64
    private let counters: RealtimeCounters
    private var position: UInt64 = 0
    private var totals = Loss()
    private var timestamps = MonotonicTimestamps()
    private var timestamp: Int64 = 0
    /// Frames of the last unit: with its timestamp they tell when the next one is due.
    private var lastFrames: Int64 = 0
    private var flags = FrameFlags(rawValue: 0)
    private var isBroken = false

    @usableFromInline
    init(_ settings: PCMSettings, _ counters: RealtimeCounters) {
        clock = SampleClock(rate: settings.rate)
        bytesPerFrame = settings.bytesPerFrame
        interval = settings.periodNanoseconds
        self.counters = counters
    }

    @usableFromInline @_noLocks @_noAllocation
    mutating func start() {
        timestamps.start(now: cm_monotonic())
    }

    /// The first frames of a unit came.
    @usableFromInline @_noLocks @_noAllocation
    mutating func open(_ deviceTimestamp: Int64) {
        let due = timestamps.last &+ clock.nanoseconds(lastFrames)
        let isFirst = timestamps.last == 0
        timestamp = timestamps.take(deviceTimestamp, interval: interval, intervals: 1, counters, &flags)
        if isBroken, !isFirst { lost(clock.frames(timestamp &- due)) }
        isBroken = false
    }

    /// The length of an interruption is known by the clock alone.
    @_noLocks @_noAllocation
    private mutating func lost(_ frames: UInt64) {
        position &+= frames
        totals.device &+= frames
        counters.lostByDevice(frames)
        if flags.holds(FrameFlags.xrun) { counters.lostByXrun(frames) }
        flags.add(FrameFlags.gap)
    }

    /// The unit is whole.
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

    /// The unit is in the ring.
    @usableFromInline @_noLocks @_noAllocation
    mutating func committed(_ header: FrameHeader) {
        counters.committed(header)
        flags = FrameFlags(rawValue: 0)
    }

    /// The unit found no free slot.
    @usableFromInline @_noLocks @_noAllocation
    mutating func dropped(_ header: FrameHeader) {
        totals.ring &+= UInt64(header.frameCount)
        counters.lostInRing(UInt64(header.frameCount))
    }

    /// The stream was interrupted.
    @usableFromInline @_noLocks @_noAllocation
    mutating func broke(_ flag: FrameFlags) {
        isBroken = true
        flags.add(flag)
    }
}
