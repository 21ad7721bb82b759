import CCodecs
import CaptureGate

/// A page of an Ogg file whose checksum is right (RFC 3533, 6).
struct OggPage {
    /// Of its packets' end, in samples from the stream's start; `nil` where it says none that can be.
    let granule: Int64?
    let number: UInt32
    let isContinued: Bool
    let isLast: Bool
    let byteCount: Int
    /// Whole packets, and at the end maybe the beginning of one.
    let pieces: [ArraySlice<UInt8>]
    /// Whether the last piece goes on in the next page.
    let isOpen: Bool

    /// Where no packet ends on a page it is -1; what is longer than all sound there is has been made to do harm.
    private static let granules: Range<Int64> = 0..<1 << 60
    static let magic = Array("OggS".utf8)
    static let mostHead = 27 + 255
    static let most = mostHead + 255 * 255

    /// Whether it is worth while to read what follows.
    static func isHead(_ bytes: [UInt8]) -> Bool {
        bytes.count >= 27 && bytes.starts(with: magic) && bytes[4] == 0 && bytes[5] < 8
    }

    /// - Parameter bytes: from its start, with what follows.
    init?(_ bytes: [UInt8]) {
        guard Self.isHead(bytes) else { return nil }
        let head = 27 + Int(bytes[26])
        guard bytes.count >= head else { return nil }
        let lengths = bytes[27..<head].map { Int($0) }
        byteCount = head + lengths.reduce(0, +)
        guard bytes.count >= byteCount, Self.hasRightChecksum(bytes, head, byteCount) else { return nil }
        (isContinued, isLast) = (bytes[5] & 1 != 0, bytes[5] & 4 != 0)
        let position = (0..<8).reduce(0) { $0 | Int64(bytes[6 + $1]) << (8 * Int64($1)) }
        granule = Self.granules.contains(position) ? position : nil
        number = (0..<4).reduce(0) { $0 | UInt32(bytes[18 + $1]) << (8 * UInt32($1)) }
        pieces = Self.split(bytes, head, lengths)
        isOpen = lengths.last == 255
    }

    private static func hasRightChecksum(_ bytes: [UInt8], _ head: Int, _ count: Int) -> Bool {
        var page = Array(bytes[..<count])
        page.withUnsafeMutableBufferPointer { page in
            if let start = page.baseAddress { cc_ogg_checksum(start, head, count) }
        }
        return page[22..<26] == bytes[22..<26]
    }

    private static func split(_ bytes: [UInt8], _ head: Int, _ lengths: [Int]) -> [ArraySlice<UInt8>] {
        var pieces: [ArraySlice<UInt8>] = []
        var (start, end) = (head, head)
        for length in lengths {
            end += length
            guard length < 255 else { continue }
            pieces.append(bytes[start..<end])
            start = end
        }
        if end > start { pieces.append(bytes[start..<end]) }
        return pieces
    }
}
