import CaptureGate

/// Memory of the frames of one track.
///
/// *thread-safe*
final class FramePool: Sendable {
    private let spare = Locked<[[UInt8]]>([])
    /// As many as may wait for one output, and a few.
    private static let most = TeeBacklog.mostPictures + 4

    /// Memory that is touched for the first time costs more than the copy, so that it is there before the first picture.
    init(for track: ClipTrack) {
        guard let byteCount = track.video?.rawByteCount else { return }
        let count = min(TeeBacklog.mostPictures, max(2, TeeBacklog.mostPictureBytes / max(byteCount, 1)))
        for _ in 0..<count { put([UInt8](repeating: 0, count: byteCount)) }
    }

    /// Copies a frame.
    func frame(_ data: RawSpan) -> SharedFrame {
        var copy = spare.withLock { $0.popLast() } ?? []
        copy.removeAll(keepingCapacity: true)
        data.withUnsafeBytes { copy.append(contentsOf: $0) }
        return SharedFrame(copy, of: self)
    }

    func put(_ bytes: [UInt8]) {
        spare.withLock { spare in
            if spare.count < Self.most { spare.append(bytes) }
        }
    }
}
