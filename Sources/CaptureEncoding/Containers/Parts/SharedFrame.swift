import CaptureGate

/// A frame in memory that several outputs read, each in its own time; the memory is used again when the last of them is
/// done with it.
final class SharedFrame: Sendable {
    private let bytes: [UInt8]
    private let pool: FramePool

    init(_ bytes: [UInt8], of pool: FramePool) {
        self.bytes = bytes
        self.pool = pool
    }

    var byteCount: Int { bytes.count }

    func withBytes(_ body: (RawSpan) throws(CaptureError) -> Void) throws(CaptureError) {
        let bytes = bytes
        try body(bytes.span.bytes)
    }

    deinit { pool.put(bytes) }
}
