import CaptureGate

/// Frames of one device in memory, the oldest first: what was before the start was asked for.
final class HeldFrames {
    private struct Frame {
        var header: FrameHeader
        var bytes: [UInt8]
    }

    /// From `first` on; what lies before is empty.
    private var frames: [Frame] = []
    private var first = 0
    /// Memory of frames that are gone.
    private var spare: [[UInt8]] = []
    /// Of the memory that they take.
    private(set) var byteCount = 0

    var isEmpty: Bool { first == frames.count }
    /// CLOCK_MONOTONIC nanoseconds; `nil` where there is none.
    var oldest: Int64? { isEmpty ? nil : frames[first].header.timestamp }

    func append(_ header: FrameHeader, _ bytes: RawSpan) {
        var copy = spare.popLast() ?? []
        copy.removeAll(keepingCapacity: true)
        // Exactly: an array that grows by itself takes twice what it had.
        copy.reserveCapacity(bytes.byteCount)
        bytes.withUnsafeBytes { copy.append(contentsOf: $0) }
        byteCount += copy.capacity
        frames.append(Frame(header: header, bytes: copy))
    }

    /// Takes the oldest one away where the rest reaches back to a moment, or needs more memory than there is.
    /// - Parameter moment: CLOCK_MONOTONIC nanoseconds.
    /// - Returns: its header; `nil` where it stays.
    func dropFirst(before moment: Int64, most: Int) -> FrameHeader? {
        guard frames.count - first > 1 else { return nil }
        guard frames[first + 1].header.timestamp <= moment || byteCount > most else { return nil }
        return removeFirst()
    }

    /// Hands out the oldest one, and takes it away.
    func takeFirst(_ body: (FrameHeader, RawSpan) throws(CaptureError) -> Void) throws(CaptureError) {
        let bytes = frames[first].bytes
        try body(frames[first].header, bytes.span.bytes)
        _ = removeFirst()
    }

    private func removeFirst() -> FrameHeader {
        let header = frames[first].header
        byteCount -= frames[first].bytes.capacity
        // One goes for each that comes, so a few are enough.
        if spare.count < 8 { spare.append(frames[first].bytes) }
        frames[first].bytes = []
        first += 1
        if first == frames.count || first > 1024 {
            frames.removeFirst(first)
            first = 0
        }
        return header
    }
}
