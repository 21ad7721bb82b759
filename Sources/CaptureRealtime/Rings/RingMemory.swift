import CMedia
import Synchronization

/// Video source's buffers in this process's memory: the driver's own, mapped.
///
/// A mapping keeps the device open even after its descriptor was closed, so ``unmap()`` is called as soon as nobody reads.
///
/// *thread-safe*
@safe
public final class FrameBuffers: @unchecked Sendable {
    // `@unchecked Sendable`: the pointers are written only in `init`.
    /// Number of buffers, 1…32.
    public let count: Int
    /// Memory planes of each buffer, 1…3.
    public let planes: Int
    /// Addresses of the first buffer's planes, then of the second's, and so on.
    private let addresses: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    private let lengths: UnsafeMutablePointer<Int>
    private let mapped = Atomic<Bool>(true)

    /// Most buffers that V4L2 supports (VIDEO_MAX_FRAME).
    public static let most = 32

    /// Maps all planes. If one can't be mapped, deinit unmaps the others.
    ///
    /// - Parameters:
    ///   - count: Number of buffers, 1…32.
    ///   - planes: Memory planes of each buffer, 1…3.
    ///   - map: Maps one plane of one buffer; returns its address and length.
    /// - Throws: The error of `map`.
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

    /// Maps zeroed memory, for buffers without a driver. The corresponding C functions are `memfd_create` and `mmap`.
    ///
    /// - Parameters:
    ///   - byteCount: Size, 1 or more.
    ///   - name: Name of the memory in /proc.
    /// - Throws: The error of either call.
    package static func memory(byteCount: Int, name: String) throws(RealtimeFault) -> UnsafeMutableRawPointer {
        let descriptor = try unsafe checked(.memory, cm_memfd(name, Int64(byteCount)))
        var address: UnsafeMutableRawPointer?
        let mapped = unsafe cm_map(descriptor, 0, Int64(byteCount), &address)
        _ = cm_close(descriptor)
        guard mapped >= 0, let address = unsafe address else { throw RealtimeFault(.mapBuffer, result: mapped) }
        return unsafe address
    }

    /// Address of a plane; `nil` if it is not mapped. Valid until ``unmap()``.
    @_noLocks @_noAllocation
    public func address(_ buffer: Int, plane: Int) -> UnsafeMutableRawPointer? {
        unsafe addresses[buffer * planes + plane]
    }

    /// Bounds of the planes for the capture thread. Must not outlive these buffers.
    var bounds: BufferBounds { unsafe BufferBounds(count: count, planes: planes, lengths: lengths) }

    /// True until ``unmap()``.
    public var isMapped: Bool { mapped.load(ordering: .acquiring) }

    /// Unmaps the memory, once. The caller makes sure that nobody reads any more.
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

/// Bounds of the buffers' memory planes, to check a driver's claims against.
///
/// *realtime-safe*
@safe
struct BufferBounds: BitwiseCopyable, @unchecked Sendable {
    // `@unchecked Sendable`: the memory that the pointer leads to never changes.
    let count: Int
    private let planes: Int
    private let lengths: UnsafePointer<Int>

    /// - Parameters:
    ///   - count: Number of buffers.
    ///   - planes: Memory planes of each buffer.
    ///   - lengths: Bytes of the first buffer's planes, then of the second's, and so on. Must outlive this value.
    init(count: Int, planes: Int, lengths: UnsafePointer<Int>) {
        self.count = count
        self.planes = planes
        unsafe self.lengths = lengths
    }

    /// True if all of a payload is within the buffer's memory. No claimed number can overflow the calculation.
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

/// Position of a frame's payload in its buffer's memory planes, bytes. Three fields instead of an array, since it is created in
/// the fence.
///
/// *realtime-safe*
public struct FramePlanes: BitwiseCopyable, Sendable, Hashable {
    private var offset0 = 0, offset1 = 0, offset2 = 0
    private var count0 = 0, count1 = 0, count2 = 0

    @_noLocks @_noAllocation
    public init() {}

    /// One plane that begins at the buffer's start.
    @_noLocks @_noAllocation
    public init(byteCount: Int) { count0 = byteCount }

    /// Sets the position of the payload in plane 0, 1 or 2.
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

    /// Bytes in all planes.
    public var total: Int {
        @_noLocks @_noAllocation get { count0 + count1 + count2 }
    }
}

/// Zeroed memory with a descriptor, so that it can be shared with another process; deinit unmaps it.
///
/// *session-bound*
@safe
struct SharedMemory: ~Copyable, @unchecked Sendable {
    // `@unchecked Sendable`: the ring's protocol decides which end may write which part.
    let base: UnsafeMutableRawPointer
    let byteCount: Int

    init(byteCount: Int) throws(RealtimeFault) {
        unsafe base = try unsafe Self.reserve(byteCount: byteCount, name: "capture-ring")
        self.byteCount = byteCount
    }

    /// Maps zeroed memory with all pages allocated.
    static func reserve(byteCount: Int, name: String) throws(RealtimeFault) -> UnsafeMutableRawPointer {
        let address = try unsafe FrameBuffers.memory(byteCount: byteCount, name: name)
        let populated = unsafe populate(address, byteCount)
        guard populated >= 0 else {
            _ = unsafe cm_unmap(address, Int64(byteCount))
            throw RealtimeFault(.populate, result: populated)
        }
        return unsafe address
    }

    /// Prefetches a cache line that will be written soon.
    @_noLocks @_noAllocation
    static func prefetch(_ address: UnsafeMutableRawPointer) {
        unsafe cm_prefetch_write(address)
    }

    /// Makes the kernel allocate all pages now, so that the capture thread never waits for one.
    static func populate(_ address: UnsafeMutableRawPointer, _ byteCount: Int) -> Int32 {
        let populated = unsafe cm_populate(address, Int64(byteCount))
        guard populated == -EINVAL else { return populated }
        // A kernel before 5.14 has no MADV_POPULATE_WRITE: its pages are allocated when they are touched.
        unsafe address.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
        return 0
    }

    deinit {
        _ = unsafe cm_unmap(base, Int64(byteCount))
    }
}
