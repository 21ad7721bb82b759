/// How many frames are missing, by cause: audio frames, or pictures.
///
/// *thread-safe*
public struct Loss: BitwiseCopyable, Sendable, Hashable {
    /// The device overran, or its sequence numbers have a hole.
    public var device: UInt64
    /// They came with an error flag, empty or too short.
    public var damaged: UInt64
    /// The reader was too slow.
    public var ring: UInt64

    @_noLocks @_noAllocation @inlinable
    public init(device: UInt64 = 0, damaged: UInt64 = 0, ring: UInt64 = 0) {
        self.device = device
        self.damaged = damaged
        self.ring = ring
    }

    public var total: UInt64 { device + damaged + ring }

    /// What these totals hold beyond earlier ones.
    @_noLocks @_noAllocation @inlinable
    package func since(_ earlier: Loss) -> Loss {
        Loss(device: device &- earlier.device, damaged: damaged &- earlier.damaged, ring: ring &- earlier.ring)
    }
}
