import CaptureBase
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
        if bytes.withUnsafeBytes({ !$0.holds(header.sequence) }) { torn += 1 }
    }
}

// By typed pointers: the thread sanitizer sees neither `storeBytes` nor `unsafeLoad`, and with them misses every race.

extension UnsafeMutableRawPointer {
    func fill(_ value: UInt64, words: Int) {
        let base = assumingMemoryBound(to: UInt64.self)
        for word in 0..<words { base[word] = value }
    }
}

extension UnsafeRawBufferPointer {
    /// Whether all words are that value.
    func holds(_ value: UInt64) -> Bool {
        guard let base = baseAddress?.assumingMemoryBound(to: UInt64.self) else { return true }
        for word in 0..<count / 8 where base[word] != value { return false }
        return true
    }
}
