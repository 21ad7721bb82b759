import CaptureBase

/// How a picture is unpacked by ourselves, from the driver's buffer: to R, G and B, or to eight bits of the Y, Cb and Cr that
/// it has, whose matrix and range stay what the device says.
enum Unpacking: Sendable {
    /// A word a pixel: to R, G, B bytes or three planes.
    case words(PackedPixels)
    /// Samples of more than eight bits, in rows: what stays is another format.
    case narrowed(SampleWidth, Rows, to: PixelFormat)
    /// Planes of Y, Cb and Cr with a sample of colour for four pixels of a row, and of a column where `down` is true.
    case coarse(down: Bool, isSwapped: Bool)

    /// Samples and rows, for those of a picture.
    struct Rows: Sendable {
        /// Samples for a pixel of a row.
        var samples = 1
        /// Half as many rows of colour follow those of Y.
        var hasColour = false

        func count(_ height: Int) -> Int { hasColour ? height + (height + 1) / 2 : height }
    }

    /// What a picture becomes; mosaics become R, G and B in a second step.
    var target: PixelFormat {
        switch self {
        case .words(let words): words.isYUV ? Self.planes : .rgb24
        case .narrowed(_, _, let target): target
        case .coarse(let down, _): down ? .yuv420 : Self.halfPlanes
        }
    }

    /// From row to row of what it becomes, bytes.
    func targetRowBytes(width: Int) -> Int {
        switch self {
        case .words(let words): words.isYUV ? width : 3 * width
        case .narrowed(_, let rows, _): rows.samples * width
        case .coarse: width
        }
    }

    /// Bytes of what it becomes.
    func targetByteCount(width: Int, height: Int) -> Int {
        switch self {
        case .words: 3 * width * height
        case .narrowed(_, let rows, _): rows.samples * width * rows.count(height)
        case .coarse(let down, _): width * height + 2 * (width / 2) * (down ? height / 2 : height)
        }
    }

    /// Bytes of the source's rows, without padding.
    func rowBytes(width: Int) -> Int {
        switch self {
        case .words(let words): words.bytes * width
        case .narrowed(let samples, let rows, _): samples.bytes(rows.samples * width)
        case .coarse: width
        }
    }

    /// Bytes that hold the source's picture; the last row may lack its padding.
    func byteCount(width: Int, height: Int, stride: Int) -> Int {
        switch self {
        case .words: stride * (height - 1) + rowBytes(width: width)
        case .narrowed(_, let rows, _): stride * (rows.count(height) - 1) + rowBytes(width: width)
        case .coarse(let down, _): stride * height + 2 * (stride / 4) * (down ? height / 4 : height)
        }
    }

    func takes(width: Int, height: Int) -> Bool {
        switch self {
        case .words: true
        case .narrowed(let samples, let rows, _): samples.takes(rows.samples * width) && width.isMultiple(of: 2)
        case .coarse(let down, _): width.isMultiple(of: 4) && height.isMultiple(of: down ? 4 : 1)
        }
    }

    /// Planes of Y, Cb and Cr for each pixel, one behind the other.
    private static let planes = PixelFormat("YM24") ?? .rgb24
    /// The same with half as many columns of colour.
    private static let halfPlanes = PixelFormat("422P") ?? .yuyv
}

/// How samples of more than eight bits lie in memory.
enum SampleWidth: Sendable {
    /// 16 bits each, the low byte first; eight of them begin at a bit.
    case words(shift: UInt16)
    /// The high bytes of some samples, then the rest of their bits.
    case packed(samples: Int, bytes: Int)

    func bytes(_ count: Int) -> Int {
        switch self {
        case .words: 2 * count
        case .packed(let samples, let bytes): count / samples * bytes
        }
    }

    func takes(_ count: Int) -> Bool {
        if case .packed(let samples, _) = self { return count.isMultiple(of: samples) }
        return true
    }

    func narrow(_ source: UnsafeRawPointer, into target: UnsafeMutablePointer<UInt8>, count: Int) {
        switch self {
        case .words(let shift):
            for index in 0..<count {
                let word = source.loadUnaligned(fromByteOffset: 2 &* index, as: UInt16.self).littleEndian
                target[index] = UInt8(truncatingIfNeeded: word >> shift)
            }
        case .packed(let samples, let bytes):
            var from = source.assumingMemoryBound(to: UInt8.self)
            for group in stride(from: 0, to: count, by: samples) {
                for index in 0..<samples { target[group &+ index] = from[index] }
                from += bytes
            }
        }
    }
}

/// Unpacks pictures of one format and size; allocates nothing.
///
/// *session-bound*
struct Unpacker {
    let unpacking: Unpacking
    private let width: Int
    private let height: Int
    private let stride: Int
    private let reader: PackedPixelReader?

    init(_ unpacking: Unpacking, width: Int, height: Int, bytesPerLine: Int) {
        self.unpacking = unpacking
        self.width = width
        self.height = height
        stride = max(bytesPerLine, unpacking.rowBytes(width: width))
        if case .words(let words) = unpacking { reader = PackedPixelReader(words) } else { reader = nil }
    }

    /// - Parameter target: `targetByteCount` bytes.
    /// - Returns: false for a picture that is not whole.
    func unpack(_ picture: UnsafeRawBufferPointer, into target: UnsafeMutablePointer<UInt8>) -> Bool {
        guard let source = picture.baseAddress,
            picture.count >= unpacking.byteCount(width: width, height: height, stride: stride)
        else { return false }
        switch unpacking {
        case .words: reader?.read(source, stride: stride, width: width, height: height, into: target)
        case .narrowed(let samples, let rows, _):
            let count = rows.samples * width
            for row in 0..<rows.count(height) {
                samples.narrow(source + row * stride, into: target + row * count, count: count)
            }
        case .coarse(let down, let isSwapped): refine(source, target, down: down, isSwapped: isSwapped)
        }
        return true
    }

    /// Has each sample of colour twice in its row, and each row of them twice in the picture.
    private func refine(_ source: UnsafeRawPointer, _ y: UnsafeMutablePointer<UInt8>, down: Bool, isSwapped: Bool) {
        for row in 0..<height {
            UnsafeMutableRawPointer(y + row * width).copyMemory(from: source + row * stride, byteCount: width)
        }
        let rows = down ? height / 4 : height
        let times = down ? 2 : 1
        for plane in 0..<2 {
            let from = source + stride * height + plane * (stride / 4) * rows
            // Cb comes first in what is made, whichever comes first here.
            let isSecond = (plane == 1) != isSwapped
            let to = y + width * height + (isSecond ? width / 2 * rows * times : 0)
            for row in 0..<rows * times {
                let samples = (from + row / times * (stride / 4)).assumingMemoryBound(to: UInt8.self)
                for index in 0..<width / 2 { to[row * (width / 2) + index] = samples[index / 2] }
            }
        }
    }
}

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
