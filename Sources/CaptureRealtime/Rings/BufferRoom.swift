/// How long the memory planes of buffers are, to hold what a driver says against it.
///
/// *realtime-safe*
@safe
struct BufferBounds: BitwiseCopyable, @unchecked Sendable {
    // Sendable by hand because of the pointer, behind which nothing changes.
    let count: Int
    private let planes: Int
    private let lengths: UnsafePointer<Int>

    /// - Parameter lengths: bytes, plane by plane of one buffer after the other. Outlives this.
    init(count: Int, planes: Int, lengths: UnsafePointer<Int>) {
        self.count = count
        self.planes = planes
        unsafe self.lengths = lengths
    }

    /// Whether all of a payload lies in the memory of a buffer that there is.
    @_noLocks @_noAllocation
    func holds(_ payload: FramePlanes, in buffer: Int) -> Bool {
        for plane in 0..<planes {
            let (offset, count) = (payload.offset(plane), payload.byteCount(plane))
            let length = unsafe lengths[buffer &* planes &+ plane]
            guard offset >= 0, count >= 0, offset <= length &- count else { return false }
        }
        return true
    }
}
