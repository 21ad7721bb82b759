import CaptureEncoding
import CaptureGate

/// Pool of memory for the frames of one track.
///
/// *thread-safe*
final class FramePool: Sendable {
    private let spare = Locked<[[UInt8]]>([])
    /// Number of buffers to keep: those that may wait for one output, and a few more.
    private static let most = TeeBacklog.mostFrames + 4

    /// Prepares memory before the first video frame: touching it for the first time costs more than the copy.
    init(for track: ClipTrack) {
        guard track.coded == nil, let byteCount = track.video?.rawByteCount else { return }
        let count = min(TeeBacklog.mostFrames, max(2, TeeBacklog.mostVideoBytes / max(byteCount, 1)))
        for _ in 0..<count { put([UInt8](repeating: 0, count: byteCount)) }
    }

    /// Copies a frame.
    func frame(_ data: RawSpan) -> SharedFrame {
        frame { copy in data.withUnsafeBytes { copy.append(contentsOf: $0) } }
    }

    /// Makes a frame.
    /// - Parameter fill: appends its bytes.
    func frame(_ fill: (inout [UInt8]) -> Void) -> SharedFrame {
        var bytes = spare.withLock { $0.popLast() } ?? []
        bytes.removeAll(keepingCapacity: true)
        fill(&bytes)
        return SharedFrame(bytes, of: self)
    }

    func put(_ bytes: [UInt8]) {
        spare.withLock { spare in
            if spare.count < Self.most { spare.append(bytes) }
        }
    }
}

/// Frame in memory that several outputs read, each in its own time. Its memory goes back to the pool when the last of them is
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
