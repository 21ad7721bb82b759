import CaptureBase
import Synchronization

/// ``LoopCounters`` for the capture thread, as a plain address: a method call on an object counts references, which the
/// fence does not allow. The object owns the numbers and outlives every use.
///
/// *realtime-safe*
@safe
public struct CounterTable: BitwiseCopyable, @unchecked Sendable {
    // Sendable by hand because of the pointer: behind it stand atomics.
    let tally: UnsafeMutablePointer<Tally>

    @_noLocks @_noAllocation
    func committed(_ header: FrameHeader) {
        unsafe tally.pointee.delivered.add(UInt64(header.frameCount))
        unsafe tally.pointee.bytes.add(UInt64(header.byteCount))
        if unsafe tally.pointee.first.load(ordering: .relaxed) == 0 {
            unsafe tally.pointee.first.store(header.timestamp, ordering: .relaxed)
        }
        unsafe tally.pointee.last.store(header.timestamp, ordering: .relaxed)
    }

    /// A committed unit was taken back from the ring.
    @_noLocks @_noAllocation
    func tookBack(_ header: FrameHeader) {
        unsafe tally.pointee.delivered.add(0 &- UInt64(header.frameCount))
        unsafe tally.pointee.bytes.add(0 &- UInt64(header.byteCount))
        unsafe tally.pointee.ringLost.add(UInt64(header.frameCount))
    }

    @_noLocks @_noAllocation
    func lostInRing(_ frames: UInt64) { unsafe tally.pointee.ringLost.add(frames) }

    @_noLocks @_noAllocation
    func lostByDevice(_ frames: UInt64) { unsafe tally.pointee.deviceLost.add(frames) }

    @_noLocks @_noAllocation
    func lostByXrun(_ frames: UInt64) { unsafe tally.pointee.xrunFrames.add(frames) }

    @_noLocks @_noAllocation
    func sawXrun() { unsafe tally.pointee.xruns.add(1) }

    @_noLocks @_noAllocation
    func repairedTimestamp() { unsafe tally.pointee.repairs.add(1) }

    @_noLocks @_noAllocation
    func sawDamage(_ damage: Damage) {
        switch damage {
        case .flagged: unsafe tally.pointee.flagged.add(1)
        case .empty: unsafe tally.pointee.empty.add(1)
        case .short: unsafe tally.pointee.short.add(1)
        }
    }

    @_noLocks @_noAllocation
    public func sawStall() { unsafe tally.pointee.stalls.add(1) }

    /// What the source says of its signal.
    @usableFromInline @_noLocks @_noAllocation
    func told(_ state: SignalState) { unsafe tally.pointee.signal.set(UInt64(state.code)) }

    /// What the signal is by now.
    @usableFromInline @_noLocks @_noAllocation
    func told(_ shape: SignalShape) { unsafe tally.pointee.shape.set(shape.packed) }

    /// The loop begins.
    @usableFromInline @_noLocks @_noAllocation
    func began() { unsafe tally.pointee.isDecided.store(false, ordering: .relaxed) }

    /// How the loop ended, before its device is stopped and closed.
    @usableFromInline @_noLocks @_noAllocation
    func decided(_ result: LoopResult) {
        unsafe tally.pointee.outcome = result
        unsafe tally.pointee.isDecided.store(true, ordering: .releasing)
    }

    /// The loop comes round: it does not hang in a call.
    @_noLocks @_noAllocation
    func turned() { unsafe tally.pointee.turns.add(1) }

    @_noLocks @_noAllocation
    public func restarted() { unsafe tally.pointee.restarts.add(1) }
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
