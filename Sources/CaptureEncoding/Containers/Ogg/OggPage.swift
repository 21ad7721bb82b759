import CCodecs
import CaptureBase

/// A page of an Ogg file with a valid checksum (RFC 3533, 6).
struct OggPage {
    /// End of its packets in samples from the stream's start; `nil` if the page states none, or an impossible one.
    let granule: Int64?
    let isContinued: Bool
    let isLast: Bool
    /// Whole packets, and possibly the beginning of one at the end.
    let pieces: [[UInt8]]
    /// True if the last piece continues in the next page.
    let isOpen: Bool

    /// Valid positions: -1 means that no packet ends on the page; one beyond any recording is a forgery.
    private static let granules: Range<Int64> = 0..<1 << 60
    /// Bytes of the page header without the lacing values.
    fileprivate static let headBytes = 27

    /// - Parameter page: as found by libogg; valid during the call.
    fileprivate init(_ page: cc_ogg_page) {
        let head = UnsafeBufferPointer(start: page.head, count: page.head_count)
        let lengths = head.dropFirst(Self.headBytes).map { Int($0) }
        granule = Self.granules.contains(page.granule) ? page.granule : nil
        (isContinued, isLast) = (page.is_continued != 0, page.is_last != 0)
        pieces = Self.split(UnsafeBufferPointer(start: page.body, count: page.body_count), lengths)
        isOpen = lengths.last == 255
    }

    /// A lacing value of 255 means that the next one continues the piece.
    private static func split(_ body: UnsafeBufferPointer<UInt8>, _ lengths: [Int]) -> [[UInt8]] {
        var pieces: [[UInt8]] = []
        var (start, end) = (0, 0)
        for length in lengths {
            end += length
            guard length < 255 else { continue }
            pieces.append(Array(body[start..<end]))
            start = end
        }
        if end > start { pieces.append(Array(body[start..<end])) }
        return pieces
    }
}

/// Reader of the whole pages of an Ogg file, which skips anything between them.
///
/// The corresponding C function is `ogg_sync_pageseek`. *session-bound*
final class OggPageReader {
    let source: RecoverySource
    /// Offset after the last page or skipped bytes.
    private(set) var at: Int64 = 0
    /// Offset of the next bytes for libogg.
    private var fed: Int64 = 0
    private let reader: OpaquePointer

    /// Bytes passed to libogg at once: a page has at most 64 KiB.
    private static let pieceBytes = 1 << 16

    /// - Throws: `.inputOutput` if there is no memory.
    init(_ source: RecoverySource) throws(CaptureError) {
        self.source = source
        guard let reader = cc_ogg_reader_open() else { throw Self.outOfMemory }
        self.reader = reader
    }

    deinit { cc_ogg_reader_free(reader) }

    /// - Returns: the next whole page, its offset and the bytes skipped before it; `nil` if there are no more pages.
    func next() throws(CaptureError) -> (page: OggPage, offset: Int64, skipped: Int64)? {
        let start = at
        while true {
            var page = cc_ogg_page()
            let found = cc_ogg_reader_next(reader, &page)
            if found > 0 {
                defer { at += found }
                return (OggPage(page), at, at - start)
            }
            // A negative count is of skipped bytes.
            at -= found
            if found < 0 { continue }
            if try feed() { continue }
            guard source.size - at >= Int64(OggPage.headBytes) else { break }
            // A torn page, or a header with a wrong length: the bytes after its start may hold a whole page.
            move(to: at + 1)
        }
        move(to: start)
        return nil
    }

    /// Continues at an offset, which may be one already passed.
    func move(to offset: Int64) {
        cc_ogg_reader_reset(reader)
        (at, fed) = (offset, offset)
    }

    /// - Returns: false at the file's end.
    private func feed() throws(CaptureError) -> Bool {
        let bytes = try source.read(at: fed, Self.pieceBytes)
        guard !bytes.isEmpty else { return false }
        guard cc_ogg_reader_feed(reader, bytes, bytes.count) >= 0 else { throw Self.outOfMemory }
        fed += Int64(bytes.count)
        return true
    }

    private static let outOfMemory = CaptureError(.inputOutput, "There is not enough memory to read Ogg pages.")
}

/// Writer of one stream's pages on libogg.
///
/// *session-bound*
final class OggPageWriter {
    private let handle: OpaquePointer

    /// - Parameter serial: bitstream serial number, unique in the file.
    /// - Throws: `.inputOutput` if there is no memory.
    init(serial: Int32) throws(CaptureError) {
        guard let handle = cc_ogg_open(serial) else { throw PacketBuffer.outOfMemory }
        self.handle = handle
    }

    deinit { cc_ogg_free(handle) }

    /// Adds a packet to the page being filled. The corresponding C function is `ogg_stream_packetin`.
    ///
    /// - Parameters:
    ///   - packet: not empty.
    ///   - granule: position of its end, in samples from the stream's start.
    ///   - isLast: ends the stream with it.
    /// - Throws: `.inputOutput` if there is no memory.
    func put(_ packet: UnsafeRawBufferPointer, granule: Int64, isLast: Bool) throws(CaptureError) {
        let bytes = packet.baseAddress?.assumingMemoryBound(to: UInt8.self)
        guard cc_ogg_put(handle, bytes, packet.count, granule, isLast ? 1 : 0) >= 0 else {
            throw PacketBuffer.outOfMemory
        }
    }

    /// Ends the page being filled. The corresponding C function is `ogg_stream_flush`.
    ///
    /// - Parameters:
    ///   - pages: gets the page as a packet.
    ///   - start: its presentation timestamp in nanoseconds.
    ///   - duration: its duration in nanoseconds.
    /// - Throws: `.inputOutput` if there is no memory.
    func flush(into pages: inout PacketBuffer, at start: Int64, lasting duration: Int64) throws(CaptureError) {
        guard cc_ogg_flush(handle, &pages.storage, start, duration) >= 0 else { throw PacketBuffer.outOfMemory }
    }

    /// Sets the end-of-stream flag (RFC 3533, 6: header_type_flag 4) of the last of some pages.
    ///
    /// Needed if the disk was full: the page that was to carry the flag had no room.
    static func ended(_ pages: [UInt8]) -> [UInt8] {
        var (pages, offset) = (pages, 0)
        while let page = size(of: pages, at: offset) {
            if offset + page.head + page.body == pages.count {
                pages[offset + 5] |= 4
                pages.withUnsafeMutableBufferPointer { bytes in
                    guard let base = bytes.baseAddress else { return }
                    cc_ogg_checksum(base + offset, page.head, page.head + page.body)
                }
                break
            }
            offset += page.head + page.body
        }
        return pages
    }

    /// Size of the page at an offset; `nil` if none begins there.
    private static func size(of pages: [UInt8], at offset: Int) -> (head: Int, body: Int)? {
        guard offset + 27 <= pages.count, offset + 27 + Int(pages[offset + 26]) <= pages.count else { return nil }
        let head = 27 + Int(pages[offset + 26])
        return (head, pages[offset + 27..<offset + head].reduce(0) { $0 + Int($1) })
    }
}
