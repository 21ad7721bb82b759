import CaptureGate

/// Finds where frames begin and end.
///
/// *session-bound*
final class FLACFrameReader {
    let checksum = FLACChecksum()
    private let source: RecoverySource
    private let info: FLACStreamInfo
    private var window: [UInt8] = []
    private var windowAt: Int64 = 0

    private static let windowBytes = 1 << 20
    /// Fewer bytes no frame has: head, a constant for each channel, checksum.
    private static let leastFrame: Int64 = 10

    init(_ source: RecoverySource, _ info: FLACStreamInfo) {
        self.source = source
        self.info = info
    }

    /// The index of an offset in the window, with a head's length behind it where the file goes on so far.
    private func index(of offset: Int64) throws(CaptureError) -> Int {
        let needed = min(offset + Int64(FLACFrameHeader.most), source.size)
        if offset < windowAt || needed > windowAt + Int64(window.count) {
            window = try source.read(at: offset, Self.windowBytes)
            windowAt = offset
        }
        return Int(offset - windowAt)
    }

    /// - Parameters:
    ///   - number: the least it may have.
    ///   - skipped: bytes in which the frames between may have been.
    func head(at offset: Int64, from number: Int64, skipped: Int64) throws(CaptureError) -> FLACFrameHeader? {
        let index = try index(of: offset)
        guard let head = FLACFrameHeader(window, at: index, checksum), head.isOf(info) else { return nil }
        // No more can be missing than had room.
        return (number...number + skipped / Self.leastFrame + 1).contains(head.number) ? head : nil
    }

    /// - Returns: where the next head begins; `nil` where there is none.
    func nextHead(from start: Int64, number: Int64, skippedFrom: Int64) throws(CaptureError) -> Int64? {
        var at = start
        while at < source.size {
            let first = try index(of: at)
            guard let found = window[first...].firstIndex(of: 0xFF) else {
                at = windowAt + Int64(window.count)
                continue
            }
            at = windowAt + Int64(found)
            if try head(at: at, from: number, skipped: at - skippedFrom) != nil { return at }
            at += 1
        }
        return nil
    }

    /// - Returns: where the frame ends, and whether its checksum is right.
    func end(of head: FLACFrameHeader, at start: Int64) throws(CaptureError) -> (Int64, Bool) {
        var (at, check) = (start, UInt16(0))
        while at < source.size {
            let first = try index(of: at)
            // Over the head's sync code, to the next byte that may be one.
            let from = at == start ? first + 2 : first + 1
            let found = from < window.count ? window[from...].firstIndex(of: 0xFF) ?? window.count : window.count
            check = checksum.frame(window[first..<found], after: check)
            at = windowAt + Int64(found)
            let skipped = at - start
            if at < source.size, try self.head(at: at, from: head.number + 1, skipped: skipped) != nil {
                return (at, check == 0)
            }
        }
        return (source.size, check == 0)
    }
}
