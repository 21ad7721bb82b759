import CMedia
import Synchronization

/// The buffers of a video source as this process sees them: the driver's own, mapped.
///
/// A mapping keeps the device open even after its descriptor was closed, so ``unmap()`` comes as soon as nobody reads.
///
/// *thread-safe*
@safe
public final class FrameBuffers: @unchecked Sendable {
    // Sendable by hand because of the pointers, which are written in `init` alone.
    /// Buffers, 1…32.
    public let count: Int
    /// Memory planes a buffer, 1…3.
    public let planes: Int
    private let addresses: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    private let lengths: UnsafeMutablePointer<Int>
    private let mapped = Atomic<Bool>(true)

    /// The most buffers that V4L2 knows (VIDEO_MAX_FRAME).
    public static let most = 32

    /// - Parameter map: Maps one plane of one buffer, and says where it lies and how long it is.
    public init(
        count: Int, planes: Int,
        map: (_ buffer: Int, _ plane: Int) throws(RealtimeFault) -> UnsafeMutableRawBufferPointer
    ) throws(RealtimeFault) {
        precondition(
            (1...Self.most).contains(count) && (1...3).contains(planes), "A source has 1…32 buffers of 1…3 planes")
        self.count = count
        self.planes = planes
        unsafe addresses = .allocate(capacity: count * planes)
        unsafe lengths = .allocate(capacity: count * planes)
        unsafe addresses.initialize(repeating: nil, count: count * planes)
        unsafe lengths.initialize(repeating: 0, count: count * planes)
        for entry in 0..<count * planes {
            let mapped = try unsafe map(entry / planes, entry % planes)
            unsafe addresses[entry] = mapped.baseAddress
            unsafe lengths[entry] = mapped.count
        }
    }

    @_noLocks @_noAllocation
    public func address(_ buffer: Int, plane: Int) -> UnsafeMutableRawPointer? {
        unsafe addresses[buffer * planes + plane]
    }

    /// How long the planes are, for the capture thread; to be used while these buffers are there.
    var bounds: BufferBounds { unsafe BufferBounds(count: count, planes: planes, lengths: lengths) }

    /// Whether ``unmap()`` was not called yet.
    public var isMapped: Bool { mapped.load(ordering: .acquiring) }

    /// Gives the memory back. Whoever calls it has made sure that nobody reads any more.
    public func unmap() {
        guard mapped.exchange(false, ordering: .acquiringAndReleasing) else { return }
        for entry in 0..<count * planes {
            guard let address = unsafe addresses[entry] else { continue }
            _ = unsafe cm_unmap(address, Int64(lengths[entry]))
        }
    }

    deinit {
        unmap()
        unsafe addresses.deallocate()
        unsafe lengths.deallocate()
    }
}
