import Glibc

/// What the markers of a JPEG image say (ITU-T T.81, annex B); the picture itself is not decoded.
struct JPEGImage: Hashable {
    /// Of SOI.
    var start = 0
    /// Behind EOI, or behind the data where there is none.
    var end = 0
    var hasEnd = false
    var hasHuffmanTables = false
    /// Of the first SOS marker.
    var firstScan: Int?
    /// The SOFn marker's n; `nil` before it.
    var process: UInt8?
    var width = 0
    var height = 0
    private var tables = JPEGTables()

    /// Sequential with Huffman codes: what the standard tables are for.
    var isSequential: Bool { process == 0 || process == 1 }

    /// - Returns: `nil` for what no decoder could make a picture of.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard let start = Self.startOfImage(bytes) else { return nil }
        self.start = start
        var at = start + 2
        while !hasEnd, at < bytes.count {
            guard let next = readMarker(bytes, at) else { return nil }
            at = next
        }
        guard firstScan != nil else { return nil }
        if !hasEnd { end = Self.withoutPadding(bytes) }
    }

    /// Some cameras put a few bytes of their own before the image.
    private static func startOfImage(_ bytes: UnsafeRawBufferPointer) -> Int? {
        guard bytes.count >= 4 else { return nil }
        for at in 0...min(bytes.count - 4, 512)
        where bytes[at] == 0xFF && bytes[at + 1] == 0xD8 && bytes[at + 2] == 0xFF { return at }
        return nil
    }

    /// Reads one marker and its segment.
    /// - Returns: where to go on; `nil` if it is broken.
    private mutating func readMarker(_ bytes: UnsafeRawBufferPointer, _ start: Int) -> Int? {
        var at = start
        while at + 1 < bytes.count, bytes[at] == 0xFF, bytes[at + 1] == 0xFF { at += 1 }
        guard at + 1 < bytes.count, bytes[at] == 0xFF else { return nil }
        let marker = bytes[at + 1]
        if marker == 0xD9 { return readEnd(at) }
        guard at + 3 < bytes.count else { return nil }
        let next = at + 2 + (Int(bytes[at + 2]) << 8 | Int(bytes[at + 3]))
        guard next >= at + 4, next <= bytes.count else { return nil }
        return readSegment(marker, at, next, bytes)
    }

    private mutating func readEnd(_ at: Int) -> Int? {
        guard firstScan != nil else { return nil }
        hasEnd = true
        end = at + 2
        return end
    }

    private mutating func readSegment(
        _ marker: UInt8, _ at: Int, _ next: Int, _ bytes: UnsafeRawBufferPointer
    ) -> Int? {
        let body = UnsafeRawBufferPointer(rebasing: bytes[(at + 4)..<next])
        switch marker {
        case 0xC4:
            guard tables.readHuffman(body) else { return nil }
            hasHuffmanTables = hasHuffmanTables || firstScan == nil
        // Arithmetic codes, lossless and hierarchical images are made by no camera.
        case 0xC0...0xC2:
            guard readFrame(marker, body) else { return nil }
        case 0xDA:
            guard readScan(body), next < bytes.count else { return nil }
            firstScan = firstScan ?? at
            return Self.endOfScan(bytes, next)
        case 0xDB: return tables.readQuantizers(body) ? next : nil
        case 0xDD: return body.count == 2 ? next : nil
        case 0xDC, 0xE0...0xEF, 0xFE: break
        default: return nil
        }
        return next
    }

    private mutating func readFrame(_ marker: UInt8, _ body: UnsafeRawBufferPointer) -> Bool {
        guard process == nil, tables.readComponents(body) else { return false }
        process = marker - 0xC0
        height = Int(body[1]) << 8 | Int(body[2])
        width = Int(body[3]) << 8 | Int(body[4])
        return width > 0 && height > 0
    }

    private func readScan(_ body: UnsafeRawBufferPointer) -> Bool {
        guard let process else { return false }
        return tables.readScan(body, isProgressive: process == 2, hasOwn: hasHuffmanTables)
    }

    /// Where the next marker after a scan is; the data's end if there is none. By memchr(3), which looks at many bytes at
    /// once: this is nearly all that passing a picture through takes.
    private static func endOfScan(_ bytes: UnsafeRawBufferPointer, _ start: Int) -> Int {
        guard let base = bytes.baseAddress else { return bytes.count }
        var at = start
        // The last byte can't begin a marker.
        while at + 1 < bytes.count, let found = memchr(base + at, 0xFF, bytes.count - 1 - at) {
            at = UnsafeRawPointer(found) - base
            // A stuffed byte, a restart marker, or a fill byte.
            let next = bytes[at + 1]
            if next != 0, next != 0xFF, !(0xD0...0xD7).contains(next) { return at }
            at += next == 0xFF ? 1 : 2
        }
        return bytes.count
    }

    /// Whether more follows that ends as an image does: then the EOI may be a byte of picture that was changed, and not the end.
    func endsAgain(in bytes: UnsafeRawBufferPointer) -> Bool {
        guard hasEnd, end < bytes.count else { return false }
        let rest = UnsafeRawBufferPointer(rebasing: bytes[..<Self.withoutPadding(bytes)])
        return rest.count >= end + 2 && rest[rest.count - 2] == 0xFF && rest[rest.count - 1] == 0xD9
    }

    /// Without EOI, drivers fill the buffer up with zeros.
    private static func withoutPadding(_ bytes: UnsafeRawBufferPointer) -> Int {
        var end = bytes.count
        while end > 0, bytes[end - 1] == 0 { end -= 1 }
        // FF 00 is a byte of picture; a lone FF is the first half of a marker that was cut off.
        if end > 0, bytes[end - 1] == 0xFF { return end < bytes.count ? end + 1 : end - 1 }
        return end
    }
}
