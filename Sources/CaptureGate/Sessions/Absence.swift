import CaptureBase
import CaptureRealtime

/// Makes one stream of what a device delivers before it is unplugged and after it came back: the frames go on counting,
/// and those that it would have made meanwhile are lost ones.
///
/// *session-bound*
struct GapTracker: Sendable {
    /// Frames that were missed, all absences together.
    private(set) var lost: UInt64 = 0
    /// What the device's own numbers are short of.
    private var base: UInt64 = 0
    /// The last frames read: the number after them, their timestamp and how many they were.
    private var next: UInt64 = 0
    private var timestamp: Int64 = 0
    private var count = 0
    /// Frames a second; 0 where the device is not just back.
    private var rate = 0.0

    /// The next header is the first one after the device's return.
    mutating func begin(rate: Double) {
        self.rate = rate
    }

    /// The header as it would be had the device never been away, but for the loss.
    mutating func continued(_ header: FrameHeader) -> FrameHeader {
        var header = header
        if rate > 0 { close(&header) }
        header.sequence &+= base
        next = header.sequence &+ UInt64(header.frameCount)
        (timestamp, count) = (header.timestamp, header.frameCount)
        return header
    }

    private mutating func close(_ header: inout FrameHeader) {
        defer { rate = 0 }
        // Unplugged before the first frame: nothing is missing.
        guard timestamp > 0 else { return }
        let passed = (Double(header.timestamp - timestamp) / 1e9 * rate).rounded() - Double(count)
        let known = header.lost.total
        let missed = passed > Double(known) ? UInt64(passed) - known : 0
        lost &+= missed
        header.lost.device &+= missed
        header.flags.formUnion([.gap, .reattached])
        base = next &+ missed &+ known &- header.sequence
    }
}
