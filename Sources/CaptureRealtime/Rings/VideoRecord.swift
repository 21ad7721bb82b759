import CaptureBase

/// What is known of a filled buffer.
struct VideoRecord: BitwiseCopyable {
    var header: FrameHeader
    var planes: FramePlanes

    @_noLocks @_noAllocation
    init(_ header: FrameHeader, _ planes: FramePlanes) {
        self.header = header
        self.planes = planes
    }

    static var blank: VideoRecord {
        VideoRecord(FrameHeader(sequence: 0, timestamp: 0, byteCount: 0, frameCount: 0), FramePlanes())
    }
}
