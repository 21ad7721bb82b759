import CaptureBase

/// What is known of a filled buffer.
struct VideoSlot: BitwiseCopyable {
    var header: FrameHeader
    var planes: FramePlanes

    @_noLocks @_noAllocation
    init(_ header: FrameHeader, _ planes: FramePlanes) {
        self.header = header
        self.planes = planes
    }

    static var blank: VideoSlot {
        VideoSlot(FrameHeader(sequence: 0, timestamp: 0, byteCount: 0, frameCount: 0), FramePlanes())
    }
}
