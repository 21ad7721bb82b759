import CaptureBase
import Synchronization

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
