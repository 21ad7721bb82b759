import CaptureBase
import Synchronization

/// Counts of a capture loop, in frames: audio frames, or video frames.
///
/// Each number is correct at any time. Once the loop has returned they add up: made = delivered + device + flagged + empty + short
/// + ring.
///
/// *thread-safe*
@safe
public final class CaptureCounters: Sendable {
    /// Part that the capture thread uses.
    public let realtime: RealtimeCounters

    public init() {
        let storage = UnsafeMutablePointer<CounterStorage>.allocate(capacity: 1)
        unsafe storage.initialize(to: CounterStorage())
        unsafe realtime = RealtimeCounters(storage: storage)
    }

    deinit {
        unsafe realtime.storage.deinitialize(count: 1)
        unsafe realtime.storage.deallocate()
    }

    /// Frames committed to the ring and not taken back.
    public var delivered: UInt64 { unsafe realtime.storage.pointee.delivered.now }
    /// Bytes of the delivered frames.
    public var bytes: UInt64 { unsafe realtime.storage.pointee.bytes.now }
    /// Frames missing because of overruns, restarts and gaps in the sequence.
    public var deviceLost: UInt64 { unsafe realtime.storage.pointee.deviceLost.now }
    /// Frames dropped because the driver flagged an error.
    public var flagged: UInt64 { unsafe realtime.storage.pointee.flagged.now }
    /// Frames dropped because they had no bytes.
    public var empty: UInt64 { unsafe realtime.storage.pointee.empty.now }
    /// Frames dropped because they had fewer bytes than a whole frame.
    public var short: UInt64 { unsafe realtime.storage.pointee.short.now }
    /// Frames dropped because the reader was too slow.
    public var ringLost: UInt64 { unsafe realtime.storage.pointee.ringLost.now }
    /// All frames that the device made.
    public var made: UInt64 { delivered + deviceLost + flagged + empty + short + ringLost }
    /// Overruns of the device.
    public var xruns: UInt64 { unsafe realtime.storage.pointee.xruns.now }
    /// Part of ``deviceLost`` that overruns caused.
    public var xrunFrames: UInt64 { unsafe realtime.storage.pointee.xrunFrames.now }
    /// Periods of silence that the watchdog counted as a stall.
    public var stalls: UInt64 { unsafe realtime.storage.pointee.stalls.now }
    /// Restarts of the device after a stall or a suspension.
    public var restarts: UInt64 { unsafe realtime.storage.pointee.restarts.now }
    /// Turns of the loop, with or without data.
    var turns: UInt64 { unsafe realtime.storage.pointee.turns.now }
    /// Outcome of the loop; `nil` while it runs. The device may not be stopped and closed yet.
    var outcome: LoopResult? {
        unsafe realtime.storage.pointee.isDecided.load(ordering: .acquiring) ? realtime.storage.pointee.outcome : nil
    }
    /// Timestamps that had to be replaced.
    public var repairedTimestamps: UInt64 { unsafe realtime.storage.pointee.repairs.now }
    /// Timestamp of the first committed entry, CLOCK_MONOTONIC in ns; 0 before.
    public var firstTimestamp: Int64 { unsafe realtime.storage.pointee.first.load(ordering: .relaxed) }
    /// Timestamp of the last committed entry, CLOCK_MONOTONIC in ns; 0 before.
    public var lastTimestamp: Int64 { unsafe realtime.storage.pointee.last.load(ordering: .relaxed) }

    /// State of the source's signal.
    public var signal: SignalState {
        SignalState(rawValue: UInt8(truncatingIfNeeded: unsafe realtime.storage.pointee.signal.now)) ?? .present
    }

    /// Present signal, if it differs from the one that the device was set up for.
    public var changedSignal: SignalTimings? { SignalTimings(packed: unsafe realtime.storage.pointee.shape.now) }

    /// Stores the state that a source reported when it was opened, before its loop runs.
    public func begin(with signal: SignalState) {
        realtime.note(signal)
        unsafe realtime.storage.pointee.shape.set(0)
    }

    /// Priority that the thread obtained; `nil` until it runs.
    public var priority: ThreadPriority? {
        ThreadPriority(packed: unsafe realtime.storage.pointee.priority.load(ordering: .relaxed))
    }

    func report(_ priority: ThreadPriority) {
        unsafe realtime.storage.pointee.priority.store(priority.packed, ordering: .relaxed)
    }
}

/// ``CaptureCounters`` for the capture thread, as a plain address: a method call on an object counts references, which
/// the fence does not allow. The object owns the numbers and outlives each use.
///
/// *realtime-safe*
@safe
public struct RealtimeCounters: BitwiseCopyable, @unchecked Sendable {
    // `@unchecked Sendable`: the pointer leads only to atomics.
    let storage: UnsafeMutablePointer<CounterStorage>

    /// Counts a period or frame that the ring has taken.
    @_noLocks @_noAllocation
    func committed(_ header: FrameHeader) {
        unsafe storage.pointee.delivered.add(UInt64(header.frameCount))
        unsafe storage.pointee.bytes.add(UInt64(header.byteCount))
        if unsafe storage.pointee.first.load(ordering: .relaxed) == 0 {
            unsafe storage.pointee.first.store(header.timestamp, ordering: .relaxed)
        }
        unsafe storage.pointee.last.store(header.timestamp, ordering: .relaxed)
    }

    /// Moves a committed frame, taken back from the ring, from delivered to lost.
    @_noLocks @_noAllocation
    func tookBack(_ header: FrameHeader) {
        unsafe storage.pointee.delivered.add(0 &- UInt64(header.frameCount))
        unsafe storage.pointee.bytes.add(0 &- UInt64(header.byteCount))
        unsafe storage.pointee.ringLost.add(UInt64(header.frameCount))
    }

    @_noLocks @_noAllocation
    func lostInRing(_ frames: UInt64) { unsafe storage.pointee.ringLost.add(frames) }

    @_noLocks @_noAllocation
    func lostByDevice(_ frames: UInt64) { unsafe storage.pointee.deviceLost.add(frames) }

    @_noLocks @_noAllocation
    func lostByXrun(_ frames: UInt64) { unsafe storage.pointee.xrunFrames.add(frames) }

    @_noLocks @_noAllocation
    func sawXrun() { unsafe storage.pointee.xruns.add(1) }

    @_noLocks @_noAllocation
    func repairedTimestamp() { unsafe storage.pointee.repairs.add(1) }

    @_noLocks @_noAllocation
    func sawDamage(_ damage: Damage) {
        switch damage {
        case .flagged: unsafe storage.pointee.flagged.add(1)
        case .empty: unsafe storage.pointee.empty.add(1)
        case .short: unsafe storage.pointee.short.add(1)
        }
    }

    @_noLocks @_noAllocation
    public func sawStall() { unsafe storage.pointee.stalls.add(1) }

    /// Stores the state of the source's signal.
    @usableFromInline @_noLocks @_noAllocation
    func note(_ state: SignalState) { unsafe storage.pointee.signal.set(UInt64(state.code)) }

    /// Stores the signal that differs from the expected one.
    @usableFromInline @_noLocks @_noAllocation
    func note(_ shape: SignalTimings) { unsafe storage.pointee.shape.set(shape.packed) }

    /// Marks the beginning of a loop, which may be the second one with these counters.
    @usableFromInline @_noLocks @_noAllocation
    func began() { unsafe storage.pointee.isDecided.store(false, ordering: .relaxed) }

    /// Publishes the outcome before the device is stopped and closed: either may hang.
    @usableFromInline @_noLocks @_noAllocation
    func decided(_ result: LoopResult) {
        unsafe storage.pointee.outcome = result
        unsafe storage.pointee.isDecided.store(true, ordering: .releasing)
    }

    /// Counts a turn of the loop, which shows that it does not hang in a call.
    @_noLocks @_noAllocation
    func turned() { unsafe storage.pointee.turns.add(1) }

    @_noLocks @_noAllocation
    public func restarted() { unsafe storage.pointee.restarts.add(1) }
}

/// Reason for dropping a video frame.
enum Damage: BitwiseCopyable {
    /// The driver flagged an error.
    case flagged
    /// No bytes.
    case empty
    /// Fewer bytes than a whole frame has.
    case short
}

/// Storage of ``CaptureCounters``, written by the capture thread alone.
struct CounterStorage: ~Copyable, Sendable {
    let delivered = SingleWriterCounter()
    let bytes = SingleWriterCounter()
    let deviceLost = SingleWriterCounter()
    let flagged = SingleWriterCounter()
    let empty = SingleWriterCounter()
    let short = SingleWriterCounter()
    let ringLost = SingleWriterCounter()
    let xruns = SingleWriterCounter()
    let xrunFrames = SingleWriterCounter()
    let stalls = SingleWriterCounter()
    let restarts = SingleWriterCounter()
    let repairs = SingleWriterCounter()
    let turns = SingleWriterCounter()
    /// ``SignalState``
    let signal = SingleWriterCounter()
    /// ``SignalTimings``
    let shape = SingleWriterCounter()
    let first = Atomic<Int64>(0)
    let last = Atomic<Int64>(0)
    /// ``ThreadPriority``; 0 before the thread runs.
    let priority = Atomic<Int64>(0)
    /// Valid only if ``isDecided`` is set: it is not atomic, and published by that flag's releasing store.
    var outcome = LoopResult(.stopped)
    let isDecided = Atomic<Bool>(false)
}

/// A number with one writing thread and any number of readers.
///
/// *realtime-safe*
struct SingleWriterCounter: ~Copyable, Sendable {
    private let value = Atomic<UInt64>(0)

    var now: UInt64 {
        @_noLocks @_noAllocation get { value.load(ordering: .relaxed) }
    }

    /// A load and a store instead of a locked addition: there is one writer.
    @_noLocks @_noAllocation
    func add(_ amount: UInt64) {
        value.store(value.load(ordering: .relaxed) &+ amount, ordering: .relaxed)
    }

    @_noLocks @_noAllocation
    func set(_ new: UInt64) {
        value.store(new, ordering: .relaxed)
    }
}
