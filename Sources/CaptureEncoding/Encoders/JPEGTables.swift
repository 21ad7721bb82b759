import Glibc

/// The tables and components of a JPEG image (ITU-T T.81, B.2), read as strictly as decoders read them: what libjpeg or
/// ffmpeg would refuse to begin with is refused here. Damage to the picture itself is not looked for.
struct JPEGTables: Hashable {
    /// A bit a table that is there.
    private var quantizers: UInt8 = 0
    private var huffmanDC: UInt8 = 0
    private var huffmanAC: UInt8 = 0
    /// Of each component: its id, its sampling as the frame header has it, and its quantization table.
    private var ids = SIMD4<UInt8>()
    private var samplings = SIMD4<UInt8>()
    private var tables = SIMD4<UInt8>()
    private var componentCount = 0

    /// Tables 0 and 1 of each kind, which are put in where a camera leaves all out.
    private static let standard: UInt8 = 0b11

    // MARK: Segments

    /// Reads what follows a DQT segment's length.
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

    /// Reads what follows a DHT segment's length.
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

    /// Reads what follows a frame header's length: precision, size, components.
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

    /// Reads what follows a scan header's length: components with their tables, and what part of the codes it has.
    ///
    /// - Parameter hasOwn: whether Huffman tables came at all; else the standard ones will be put in.
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

    private func place(of id: UInt8, before end: Int) -> Int? {
        for index in 0..<end where ids[index] == id { return index }
        return nil
    }

    private func hasTables(_ numbers: UInt8, hasOwn: Bool, _ codes: JPEGScanCodes) -> Bool {
        let (dc, ac) = (hasOwn ? huffmanDC : Self.standard, hasOwn ? huffmanAC : Self.standard)
        guard numbers >> 4 <= 3, numbers & 15 <= 3 else { return false }
        return (!codes.useDC || dc & 1 << (numbers >> 4) != 0) && (!codes.useAC || ac & 1 << (numbers & 15) != 0)
    }

    /// One component, or brightness with up to four columns or two rows as many samples as colours have: what cameras make and
    /// all decoders know. Some double all factors.
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

    /// How often brightness is sampled for a sample of colour: 1, 2 or 4; `nil` for what is no such thing.
    private static func ratio(_ factors: SIMD4<UInt8>, _ count: Int) -> Int? {
        let colour = count == 3 ? factors[1] : factors[0]
        guard colour == 1 || colour == 2, count == 1 || factors[2] == colour, factors[0] % colour == 0 else {
            return nil
        }
        let ratio = Int(factors[0] / colour)
        return ratio == 1 || ratio == 2 || ratio == 4 ? ratio : nil
    }

    /// - Returns: how many symbols follow the 16 counts of words of each length; `nil` where they are not there, or there are
    ///   more words than bits allow, of which all ones is none.
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

    /// Whether none is of more bits than differences of samples have. By a loop: a debug build allocates for a slice's elements.
    private static func areDifferences(_ body: UnsafeRawBufferPointer, _ symbols: Range<Int>) -> Bool {
        for at in symbols where body[at] > 15 { return false }
        return true
    }

    /// Nothing can be divided by 0.
    private static func holdsZero(_ body: UnsafeRawBufferPointer, _ start: Int, bytes: Int) -> Bool {
        guard let base = body.baseAddress else { return true }
        guard bytes == 2 else { return memchr(base + start, 0, 64) != nil }
        return (0..<64).contains { body[start + 2 * $0] | body[start + 2 * $0 + 1] == 0 }
    }
}

/// What part of the codes a scan has: Ss, Se, Ah and Al.
struct JPEGScanCodes {
    private let first: UInt8
    private let last: UInt8
    private let high: UInt8
    private let low: UInt8

    /// - Parameter bytes: three.
    init(_ bytes: UnsafeRawBufferPointer) {
        (first, last, high, low) = (bytes[0], bytes[1], bytes[2] >> 4, bytes[2] & 15)
    }

    private init(first: UInt8, last: UInt8) { (self.first, self.last, high, low) = (first, last, 0, 0) }

    /// Of a sequential image, whatever its header says: decoders do not look.
    static let all = JPEGScanCodes(first: 0, last: 63)

    /// A refinement of the first code takes bits as they are.
    var useDC: Bool { first == 0 && high == 0 }
    var useAC: Bool { last > 0 }

    /// Whether a progressive image may have such a scan (G.1.1.1).
    func areProgressive(components: Int) -> Bool {
        let isBand = first == 0 ? last == 0 : first <= last && last <= 63 && components == 1
        return isBand && low <= 13 && (high == 0 || low + 1 == high)
    }
}
