/// How a capture loop ended.
///
/// *thread-safe*
public struct LoopResult: BitwiseCopyable, Sendable, Hashable {
    public let end: LoopEnd
    /// Set for ``LoopEnd/failed``, and for ``LoopEnd/deviceGone`` where a call said so.
    public let fault: RealtimeFault?

    @_noLocks @_noAllocation
    public init(_ end: LoopEnd, fault: RealtimeFault? = nil) {
        self.end = end
        self.fault = fault
    }

    /// Not 0, so that 0 can stand for a loop that goes on.
    var packed: UInt64 {
        let base = UInt64(end.rawValue) + 1
        guard let fault else { return base }
        return base | UInt64(fault.call.rawValue) << 8 | UInt64(UInt32(bitPattern: fault.errno)) << 32
    }

    init?(packed: UInt64) {
        guard packed != 0, let end = LoopEnd(rawValue: UInt8(truncatingIfNeeded: packed) &- 1) else { return nil }
        let call = RealtimeCall(rawValue: UInt8(truncatingIfNeeded: packed >> 8))
        let errno = Int32(bitPattern: UInt32(truncatingIfNeeded: packed >> 32))
        self.init(end, fault: call.map { RealtimeFault($0, result: -errno) })
    }
}
