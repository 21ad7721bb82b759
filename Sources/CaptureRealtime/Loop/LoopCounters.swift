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
