import CaptureBase

/// Bits of a NAL unit, the high one of each byte first, without the bytes that keep start codes out of its data
/// (ITU-T H.264, 7.3.1 and 7.2).
///
/// Reading past the end gives zeros, and sets ``isOver``: a damaged unit is judged once, at the end.
///
/// *session-bound*
struct UnitBits {
    private let bytes: UnsafeRawBufferPointer
    private var at: Int
    private let end: Int
    /// Bits of the byte at `at` that are left, 1 to 8.
    private var left: UInt32 = 8
    /// Zeros ahead of the byte at `at`, as far as they count.
    private var zeros = 0
    /// More was read than there is, or a number that no standard has.
    private(set) var isOver = false

    /// - Parameters:
    ///   - bytes: one buffer of the camera; valid while this is used.
    ///   - start: offset of the first byte after the unit's header.
    ///   - end: offset of the unit's end.
    init(_ bytes: UnsafeRawBufferPointer, from start: Int, to end: Int) {
        self.bytes = bytes
        self.end = min(end, bytes.count)
        at = start
        isOver = start >= self.end
    }

    /// Next bit: u(1).
    mutating func bit() -> UInt32 {
        guard at < end else {
            isOver = true
            return 0
        }
        left -= 1
        let bit = UInt32(bytes[at]) >> left & 1
        if left == 0 { advance() }
        return bit
    }

    /// Next bits as a number: u(n).
    /// - Parameter count: 0 to 32.
    mutating func bits(_ count: Int) -> UInt32 {
        var number: UInt32 = 0
        for _ in 0..<count { number = number << 1 | bit() }
        return number
    }

    /// Skips bits.
    mutating func skip(_ count: Int) { for _ in 0..<count { _ = bit() } }

    /// Exponential-Golomb code, 0 to 2^32 − 2: ue(v).
    mutating func unsigned() -> UInt32 {
        var length = 0
        while bit() == 0 {
            length += 1
            guard length < 32, !isOver else {
                isOver = true
                return 0
            }
        }
        return (1 << UInt32(length)) - 1 + bits(length)
    }

    /// The same with a sign: se(v).
    mutating func signed() -> Int64 {
        let code = Int64(unsigned())
        return code & 1 == 1 ? (code + 1) / 2 : -(code / 2)
    }

    /// Goes to the next byte, over one that only keeps a start code out.
    private mutating func advance() {
        zeros = bytes[at] == 0 ? zeros + 1 : 0
        at += 1
        left = 8
        if zeros >= 2, at < end, bytes[at] == 3 {
            zeros = 0
            at += 1
        }
    }
}

/// NAL units of a buffer, between start codes (ITU-T H.264 and H.265, annex B).
///
/// *session-bound*
struct UnitScanner {
    private let bytes: UnsafeRawBufferPointer
    /// Offset after the start code of the next unit; past the end without one.
    private var next: Int
    /// The buffer begins with a start code, after at most some zeros.
    let beginsWithUnit: Bool

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
        var at = 0
        while at < bytes.count, bytes[at] == 0 { at += 1 }
        beginsWithUnit = at >= 2 && at < bytes.count && bytes[at] == 1
        next = beginsWithUnit ? at + 1 : Self.behindCode(from: at, in: bytes)
    }

    /// Next unit without its start code, and without the zeros that may follow it.
    /// - Returns: offsets of its first byte and of its end; `nil` if none exists. A unit may be empty.
    mutating func unit() -> (start: Int, end: Int)? {
        guard next <= bytes.count else { return nil }
        let start = next
        next = Self.behindCode(from: start, in: bytes)
        var end = next <= bytes.count ? next - 3 : bytes.count
        while end > start, bytes[end - 1] == 0 { end -= 1 }
        return (start, max(end, start))
    }

    /// - Returns: offset after the next start code; one past the end if none exists.
    private static func behindCode(from start: Int, in bytes: UnsafeRawBufferPointer) -> Int {
        var at = start + 2
        while at < bytes.count {
            let byte = bytes[at]
            // The third byte of a code is 1; one that is larger belongs to no code at all.
            if byte > 1 {
                at += 3
            } else if byte == 1, bytes[at - 1] == 0, bytes[at - 2] == 0 {
                return at + 1
            } else {
                at += 1
            }
        }
        return bytes.count + 1
    }
}
