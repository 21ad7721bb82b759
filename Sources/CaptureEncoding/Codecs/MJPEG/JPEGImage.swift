import LinuxSystem

/// Structure of a JPEG image by its markers (ITU-T T.81, annex B), without decoding it.
struct JPEGImage: Hashable {
    /// Offset of SOI.
    var start = 0
    /// Offset after EOI, or after the data if none exists.
    var end = 0
    /// Has an EOI marker; some cameras leave it out.
    var hasEnd = false
    /// Has a DHT segment ahead of the first scan.
    var hasHuffmanTables = false
    /// Offset of the first SOS marker, where missing Huffman tables are inserted.
    var firstScan: Int?
    /// n of the SOFn marker, the coding process; `nil` ahead of it.
    var process: UInt8?
    var width = 0
    var height = 0
    private var tables = JPEGTables()

    /// Sequential with Huffman codes: the processes that the standard tables serve.
    var isSequential: Bool { process == 0 || process == 1 }

    /// Reads the markers up to EOI or the end of the data.
    /// - Returns: `nil` for data of which no decoder could make an image.
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

    /// Finds SOI within the first 512 bytes. Some cameras put a few bytes before the image.
    private static func startOfImage(_ bytes: UnsafeRawBufferPointer) -> Int? {
        guard bytes.count >= 4 else { return nil }
        for at in 0...min(bytes.count - 4, 512)
        where bytes[at] == 0xFF && bytes[at + 1] == 0xD8 && bytes[at + 2] == 0xFF { return at }
        return nil
    }

    /// Reads one marker and its segment. Fill bytes (FF) may precede a marker (T.81, B.1.1.2).
    /// - Returns: the offset to continue at; `nil` if the segment is broken.
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

    /// An EOI ahead of any scan ends nothing: the image is broken.
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
        // SOF0 to SOF2. No camera makes arithmetic-coded, lossless or hierarchical images.
        case 0xC0...0xC2:
            guard readFrame(marker, body) else { return nil }
        case 0xDA:
            guard readScan(body), next < bytes.count else { return nil }
            firstScan = firstScan ?? at
            return Self.endOfScan(bytes, next)
        // DQT and DRI; then DNL, APPn and COM, which need no check. All others are broken or of a process refused
        // above.
        case 0xDB: return tables.readQuantizers(body) ? next : nil
        case 0xDD: return body.count == 2 ? next : nil
        case 0xDC, 0xE0...0xEF, 0xFE: break
        default: return nil
        }
        return next
    }

    /// Reads the frame header (T.81, B.2.2). A second one would be a hierarchical image.
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

    /// Finds the marker that ends a scan's entropy-coded data; the data's end if none exists.
    ///
    /// Uses memchr(3), which compares many bytes at once: this search takes nearly all the time of passing an image through.
    private static func endOfScan(_ bytes: UnsafeRawBufferPointer, _ start: Int) -> Int {
        guard let base = bytes.baseAddress else { return bytes.count }
        var at = start
        // The last byte can't begin a marker.
        while at + 1 < bytes.count, let found = firstByte(0xFF, from: base + at, count: bytes.count - 1 - at) {
            at = UnsafeRawPointer(found) - base
            // FF 00 is a stuffed data byte, FF D0 to D7 a restart marker, FF FF a fill byte (T.81, B.1.1.5).
            let next = bytes[at + 1]
            if next != 0, next != 0xFF, !(0xD0...0xD7).contains(next) { return at }
            at += next == 0xFF ? 1 : 2
        }
        return bytes.count
    }

    /// Finds a second EOI after the first.
    ///
    /// The first may then be damaged image data that happens to contain FF D9.
    func endsAgain(in bytes: UnsafeRawBufferPointer) -> Bool {
        guard hasEnd, end < bytes.count else { return false }
        let rest = UnsafeRawBufferPointer(rebasing: bytes[..<Self.withoutPadding(bytes)])
        return rest.count >= end + 2 && rest[rest.count - 2] == 0xFF && rest[rest.count - 1] == 0xD9
    }

    /// Finds the end of the image data. Drivers pad a buffer without EOI with zeros.
    private static func withoutPadding(_ bytes: UnsafeRawBufferPointer) -> Int {
        var end = bytes.count
        while end > 0, bytes[end - 1] == 0 { end -= 1 }
        // FF 00 is a stuffed data byte; a lone FF is the first half of a marker that was cut off.
        if end > 0, bytes[end - 1] == 0xFF { return end < bytes.count ? end + 1 : end - 1 }
        return end
    }
}

/// Tables and components of a JPEG image (ITU-T T.81, B.2), checked as strictly as decoders check
/// them.
///
/// Refuses images that libjpeg or ffmpeg would not begin to decode. Damage to the entropy-coded
/// data is not looked for. Values lie in SIMD vectors and bit sets rather than arrays: the check
/// runs for every frame and must not allocate, not even in a debug build.
struct JPEGTables: Hashable {
    /// Bit set of the tables that were defined.
    private var quantizers: UInt8 = 0
    private var huffmanDC: UInt8 = 0
    private var huffmanAC: UInt8 = 0
    /// Per component: id, sampling factors as in the frame header, and number of its quantization
    /// table.
    private var ids = SIMD4<UInt8>()
    private var samplings = SIMD4<UInt8>()
    private var tables = SIMD4<UInt8>()
    private var componentCount = 0

    /// Tables 0 and 1 of each class, which `MJPEGRepair` inserts if a camera leaves all out.
    private static let standard: UInt8 = 0b11

    // MARK: Segments

    /// Reads the body of a DQT segment (B.2.4.1).
    mutating func readQuantizers(_ body: UnsafeRawBufferPointer) -> Bool {
        var at = 0
        while at < body.count {
            let (precision, number) = (Int(body[at] >> 4), body[at] & 15)
            let end = at + 1 + 64 * (precision + 1)
            guard precision <= 1, number <= 3, end <= body.count else { return false }
            guard !Self.holdsZero(body, at + 1, bytes: precision + 1) else { return false }
            quantizers |= 1 << number
            at = end
        }
        return at > 0
    }

    /// Reads the body of a DHT segment (B.2.4.2).
    mutating func readHuffman(_ body: UnsafeRawBufferPointer) -> Bool {
        var at = 0
        while at < body.count {
            let (kind, number) = (body[at] >> 4, body[at] & 15)
            guard kind <= 1, number <= 3, let count = Self.symbols(body, at + 1) else { return false }
            let symbols = (at + 17)..<(at + 17 + count)
            guard kind == 1 || Self.areDifferences(body, symbols) else { return false }
            if kind == 0 { huffmanDC |= 1 << number } else { huffmanAC |= 1 << number }
            at += 17 + count
        }
        return at > 0
    }

    /// Reads the body of a frame header (B.2.2): precision, size, components.
    mutating func readComponents(_ body: UnsafeRawBufferPointer) -> Bool {
        guard body.count >= 6, body[0] == 8 else { return false }
        componentCount = Int(body[5])
        guard componentCount == 1 || componentCount == 3, body.count == 6 + 3 * componentCount else { return false }
        for index in 0..<componentCount {
            let at = 6 + 3 * index
            guard body[at + 2] <= 3, place(of: body[at], before: index) == nil else { return false }
            (ids[index], samplings[index], tables[index]) = (body[at], body[at + 1], body[at + 2])
        }
        return isSampled
    }

    /// Reads the body of a scan header (B.2.3): components with their tables, and the part of the coefficients that it codes.
    /// - Parameters:
    ///   - body: bytes after the length.
    ///   - isProgressive: SOF2, whose scans code a band of the coefficients each.
    ///   - hasOwn: Huffman tables came in the image; otherwise the standard ones will be inserted.
    func readScan(_ body: UnsafeRawBufferPointer, isProgressive: Bool, hasOwn: Bool) -> Bool {
        guard body.count > 0 else { return false }
        let count = Int(body[0])
        guard (1...max(componentCount, 1)).contains(count), body.count == 4 + 2 * count else { return false }
        let codes = JPEGScanCodes(UnsafeRawBufferPointer(rebasing: body[(1 + 2 * count)...]))
        guard !isProgressive || codes.areProgressive(components: count) else { return false }
        var seen: UInt8 = 0
        for at in stride(from: 1, to: 1 + 2 * count, by: 2) {
            guard let index = place(of: body[at], before: componentCount), seen & 1 << UInt8(index) == 0,
                quantizers & 1 << tables[index] != 0,
                hasTables(body[at + 1], hasOwn: hasOwn, isProgressive ? codes : .all)
            else { return false }
            seen |= 1 << UInt8(index)
        }
        return true
    }

    // MARK: Checks

    /// Index of the component with an id, among the first `end`.
    private func place(of id: UInt8, before end: Int) -> Int? {
        for index in 0..<end where ids[index] == id { return index }
        return nil
    }

    /// Checks that the tables a component names are defined, as far as the scan uses them.
    private func hasTables(_ numbers: UInt8, hasOwn: Bool, _ codes: JPEGScanCodes) -> Bool {
        let (dc, ac) = (hasOwn ? huffmanDC : Self.standard, hasOwn ? huffmanAC : Self.standard)
        guard numbers >> 4 <= 3, numbers & 15 <= 3 else { return false }
        return (!codes.useDC || dc & 1 << (numbers >> 4) != 0) && (!codes.useAC || ac & 1 << (numbers & 15) != 0)
    }

    /// Sampling that cameras produce and all decoders know: one component, or at most four luma
    /// samples per sample of chroma, at most two of them in a column.
    ///
    /// Some cameras double all factors, so ratios are compared, not values.
    private var isSampled: Bool {
        var (across, down) = (SIMD4<UInt8>(), SIMD4<UInt8>())
        for index in 0..<componentCount {
            (across[index], down[index]) = (samplings[index] >> 4, samplings[index] & 15)
        }
        guard let width = Self.ratio(across, componentCount), let height = Self.ratio(down, componentCount) else {
            return false
        }
        return width * height <= 4 && height <= 2
    }

    /// Luma samples per chroma sample in one direction: 1, 2 or 4; `nil` for anything else.
    private static func ratio(_ factors: SIMD4<UInt8>, _ count: Int) -> Int? {
        let colour = count == 3 ? factors[1] : factors[0]
        guard colour == 1 || colour == 2, count == 1 || factors[2] == colour, factors[0] % colour == 0 else {
            return nil
        }
        let ratio = Int(factors[0] / colour)
        return ratio == 1 || ratio == 2 || ratio == 4 ? ratio : nil
    }

    /// Number of symbols of one Huffman table: the sum of its 16 counts.
    /// - Returns: `nil` if the symbols are not there, or there are more words than their lengths
    ///   allow; the word of all ones is reserved (T.81, annex C).
    private static func symbols(_ body: UnsafeRawBufferPointer, _ start: Int) -> Int? {
        guard start + 16 <= body.count else { return nil }
        var (next, count) = (0, 0)
        for length in 1...16 {
            let words = Int(body[start + length - 1])
            next += words
            count += words
            guard next < 1 << length else { return nil }
            next <<= 1
        }
        return count > 0 && count <= 256 && start + 16 + count <= body.count ? count : nil
    }

    /// Checks that a DC table has no category above 15. A loop, because iterating a slice allocates
    /// in a debug build.
    private static func areDifferences(_ body: UnsafeRawBufferPointer, _ symbols: Range<Int>) -> Bool {
        for at in symbols where body[at] > 15 { return false }
        return true
    }

    /// Checks for a quantization step of 0, which would be a division by zero.
    private static func holdsZero(_ body: UnsafeRawBufferPointer, _ start: Int, bytes: Int) -> Bool {
        guard let base = body.baseAddress else { return true }
        guard bytes == 2 else { return firstByte(0, from: base + start, count: 64) != nil }
        return (0..<64).contains { body[start + 2 * $0] | body[start + 2 * $0 + 1] == 0 }
    }
}

/// Part of the coefficients that a scan codes: Ss, Se, Ah and Al of its header (T.81, B.2.3).
struct JPEGScanCodes {
    private let first: UInt8
    private let last: UInt8
    private let high: UInt8
    private let low: UInt8

    /// - Parameter bytes: the last three bytes of the scan header.
    init(_ bytes: UnsafeRawBufferPointer) {
        (first, last, high, low) = (bytes[0], bytes[1], bytes[2] >> 4, bytes[2] & 15)
    }

    private init(first: UInt8, last: UInt8) { (self.first, self.last, high, low) = (first, last, 0, 0) }

    /// Parameters of a sequential image, whatever its header contains: decoders ignore it.
    static let all = JPEGScanCodes(first: 0, last: 63)

    /// A refinement scan of DC needs no table: it codes raw bits (T.81, G.1.2.1).
    var useDC: Bool { first == 0 && high == 0 }
    /// AC coefficients are 1 to 63.
    var useAC: Bool { last > 0 }

    /// Checks that a progressive image may have such a scan (T.81, G.1.1.1): DC alone, or a band of
    /// AC of a single component.
    func areProgressive(components: Int) -> Bool {
        let isBand = first == 0 ? last == 0 : first <= last && last <= 63 && components == 1
        return isBand && low <= 13 && (high == 0 || low + 1 == high)
    }
}
