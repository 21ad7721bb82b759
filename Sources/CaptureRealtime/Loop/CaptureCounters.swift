import CaptureBase
import Synchronization

/// What a capture loop has seen so far, in frames: audio frames, or pictures.
///
/// Each number is true by itself at any time; together they add up once the loop has returned:
/// made = delivered + device + flagged + empty + short + ring.
///
/// *thread-safe*
@safe
public final class CaptureCounters: Sendable {
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

    /// Committed to the ring and not taken back.
    public var delivered: UInt64 { unsafe realtime.storage.pointee.delivered.now }
    /// Bytes of what was delivered.
    public var bytes: UInt64 { unsafe realtime.storage.pointee.bytes.now }
    /// Missing by overruns, restarts and holes in the sequence.
    public var deviceLost: UInt64 { unsafe realtime.storage.pointee.deviceLost.now }
    /// Left out: the driver flagged an error.
    public var flagged: UInt64 { unsafe realtime.storage.pointee.flagged.now }
    /// Left out: no bytes.
    public var empty: UInt64 { unsafe realtime.storage.pointee.empty.now }
    /// Left out: fewer bytes than a whole picture has.
    public var short: UInt64 { unsafe realtime.storage.pointee.short.now }
    /// Dropped because the reader was too slow.
    public var ringLost: UInt64 { unsafe realtime.storage.pointee.ringLost.now }
    /// All that the device made.
    public var made: UInt64 { delivered + deviceLost + flagged + empty + short + ringLost }
    /// How often the device overran.
    public var xruns: UInt64 { unsafe realtime.storage.pointee.xruns.now }
    /// The part of ``deviceLost`` that overruns took.
    public var xrunFrames: UInt64 { unsafe realtime.storage.pointee.xrunFrames.now }
    /// How often nothing came in time.
    public var stalls: UInt64 { unsafe realtime.storage.pointee.stalls.now }
    /// How often the device was started again after a stall or a suspension.
    public var restarts: UInt64 { unsafe realtime.storage.pointee.restarts.now }
    /// How often the loop came round, whether anything came or not.
    var turns: UInt64 { unsafe realtime.storage.pointee.turns.now }
    /// How the loop ended, while its device may still have to be stopped and closed; `nil` while it runs.
    var outcome: LoopResult? {
        unsafe realtime.storage.pointee.isDecided.load(ordering: .acquiring) ? realtime.storage.pointee.outcome : nil
    }
    /// How many time stamps had to be replaced.
    public var repairedTimestamps: UInt64 { unsafe realtime.storage.pointee.repairs.now }
    /// Of the first unit committed, ns on CLOCK_MONOTONIC; 0 before.
    public var firstTimestamp: Int64 { unsafe realtime.storage.pointee.first.load(ordering: .relaxed) }
    /// Of the last unit committed, ns on CLOCK_MONOTONIC; 0 before.
    public var lastTimestamp: Int64 { unsafe realtime.storage.pointee.last.load(ordering: .relaxed) }

    /// What the source says of its signal.
    public var signal: SignalState {
        SignalState(rawValue: UInt8(truncatingIfNeeded: unsafe realtime.storage.pointee.signal.now)) ?? .present
    }

    /// What the signal is by now, where it is another than the device was set up for.
    public var changedSignal: SignalTimings? { SignalTimings(packed: unsafe realtime.storage.pointee.shape.now) }

    /// What a source said before its loop runs.
    public func begin(with signal: SignalState) {
        realtime.note(signal)
        unsafe realtime.storage.pointee.shape.set(0)
    }

    /// What the thread achieved; `nil` until it runs.
    public var priority: RealtimePriority? {
        RealtimePriority(packed: unsafe realtime.storage.pointee.priority.load(ordering: .relaxed))
    }

    func report(_ priority: RealtimePriority) {
        unsafe realtime.storage.pointee.priority.store(priority.packed, ordering: .relaxed)
    }
}

/// ``CaptureCounters`` for the capture thread, as a plain address: a method call on an object counts references, which the
/// fence does not allow. The object owns the numbers and outlives every use.
///
/// *realtime-safe*
@safe
public struct RealtimeCounters: BitwiseCopyable, @unchecked Sendable {
    // Sendable by hand because of the pointer: behind it stand atomics.
    let storage: UnsafeMutablePointer<CounterStorage>

    @_noLocks @_noAllocation
    func committed(_ header: FrameHeader) {
        unsafe storage.pointee.delivered.add(UInt64(header.frameCount))
        unsafe storage.pointee.bytes.add(UInt64(header.byteCount))
        if unsafe storage.pointee.first.load(ordering: .relaxed) == 0 {
            unsafe storage.pointee.first.store(header.timestamp, ordering: .relaxed)
        }
        unsafe storage.pointee.last.store(header.timestamp, ordering: .relaxed)
    }

    /// A committed unit was taken back from the ring.
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

    /// What the source says of its signal.
    @usableFromInline @_noLocks @_noAllocation
    func note(_ state: SignalState) { unsafe storage.pointee.signal.set(UInt64(state.code)) }

    /// What the signal is by now.
    @usableFromInline @_noLocks @_noAllocation
    func note(_ shape: SignalTimings) { unsafe storage.pointee.shape.set(shape.packed) }

    /// The loop begins.
    @usableFromInline @_noLocks @_noAllocation
    func began() { unsafe storage.pointee.isDecided.store(false, ordering: .relaxed) }

    /// How the loop ended, before its device is stopped and closed.
    @usableFromInline @_noLocks @_noAllocation
    func decided(_ result: LoopResult) {
        unsafe storage.pointee.outcome = result
        unsafe storage.pointee.isDecided.store(true, ordering: .releasing)
    }

    /// The loop comes round: it does not hang in a call.
    @_noLocks @_noAllocation
    func turned() { unsafe storage.pointee.turns.add(1) }

    @_noLocks @_noAllocation
    public func restarted() { unsafe storage.pointee.restarts.add(1) }
}

/// Why a picture is left out.
enum Damage: BitwiseCopyable {
    /// The driver flagged an error.
    case flagged
    /// No bytes.
    case empty
    /// Fewer bytes than a whole picture has.
    case short
}

/// The numbers behind ``CaptureCounters``.
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
    let priority = Atomic<Int64>(0)
    /// To be read where ``isDecided`` is set alone.
    var outcome = LoopResult(.stopped)
    let isDecided = Atomic<Bool>(false)
}

/// A number that one thread writes and any thread reads.
struct SingleWriterCounter: ~Copyable, Sendable {
    private let value = Atomic<UInt64>(0)

    var now: UInt64 {
        @_noLocks @_noAllocation get { value.load(ordering: .relaxed) }
    }

    /// A load and a store, no locked addition: there is one writer.
    @_noLocks @_noAllocation
    func add(_ amount: UInt64) {
        value.store(value.load(ordering: .relaxed) &+ amount, ordering: .relaxed)
    }

    @_noLocks @_noAllocation
    func set(_ new: UInt64) {
        value.store(new, ordering: .relaxed)
    }
}
