/// Where the payload of a picture lies in its buffer's memory planes, bytes.
///
/// *realtime-safe*
public struct FramePlanes: BitwiseCopyable, Sendable, Hashable {
    private var offset0 = 0, offset1 = 0, offset2 = 0
    private var count0 = 0, count1 = 0, count2 = 0

    @_noLocks @_noAllocation
    public init() {}

    /// One plane from the buffer's start.
    @_noLocks @_noAllocation
    public init(byteCount: Int) { count0 = byteCount }

    @_noLocks @_noAllocation
    public mutating func set(_ plane: Int, offset: Int, byteCount: Int) {
        switch plane {
        case 0: (offset0, count0) = (offset, byteCount)
        case 1: (offset1, count1) = (offset, byteCount)
        default: (offset2, count2) = (offset, byteCount)
        }
    }

    @_noLocks @_noAllocation
    public func offset(_ plane: Int) -> Int {
        plane == 0 ? offset0 : plane == 1 ? offset1 : offset2
    }

    @_noLocks @_noAllocation
    public func byteCount(_ plane: Int) -> Int {
        plane == 0 ? count0 : plane == 1 ? count1 : count2
    }

    public var total: Int {
        @_noLocks @_noAllocation get { count0 + count1 + count2 }
    }
}
