import CaptureRealtime

extension FrameHeader {
    /// A unit of one frame.
    static func unit(_ sequence: UInt64, byteCount: Int = 8, ringLost: UInt64 = 0) -> FrameHeader {
        FrameHeader(
            sequence: sequence, timestamp: Int64(sequence) + 1, byteCount: byteCount, frameCount: 1,
            lost: Loss(ring: ringLost))
    }
}

/// What a reader of a stress test saw.
struct Sums {
    var delivered: UInt64 = 0
    var lost: UInt64 = 0
    /// Units whose words are not all their sequence number.
    var torn = 0
    /// Units that don't follow from the one before and the loss.
    var lawBroken = 0
    private var next: UInt64 = 0

    mutating func add(_ header: FrameHeader, _ bytes: RawSpan) {
        delivered += UInt64(header.frameCount)
        lost += header.lost.total
        if header.sequence != next + header.lost.total { lawBroken += 1 }
        next = header.sequence + UInt64(header.frameCount)
        for offset in stride(from: 0, to: bytes.byteCount, by: 8)
        where bytes.unsafeLoad(fromByteOffset: offset, as: UInt64.self) != header.sequence {
            torn += 1
            return
        }
    }
}
