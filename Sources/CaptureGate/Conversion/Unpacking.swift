import CaptureBase

/// Unpacking of a frame from the driver's buffer without libv4lconvert: to R, G and B, or to eight bits of its Y, Cb
/// and Cr, whose matrix and range stay those of the device.
enum Unpacking: Sendable {
    /// One word per pixel: becomes R, G, B bytes or three planes.
    case words(PackedPixels)
    /// Rows of samples with more than eight bits: they become another format.
    case narrowed(SampleWidth, Rows, to: PixelFormat)
    /// Planes of Y, Cb and Cr with one chroma sample for four pixels of a row, and of a column where `down` is true.
    case coarse(down: Bool, isSwapped: Bool)

    /// Samples and rows of a frame.
    struct Rows: Sendable {
        /// Samples per pixel of a row.
        var samples = 1
        /// True if half as many rows of chroma follow those of Y.
        var hasColour = false

        /// Number of rows, for a height in pixels.
        func count(_ height: Int) -> Int { hasColour ? height + (height + 1) / 2 : height }
    }

    /// Format of the result; mosaics become R, G and B in a second step.
    var target: PixelFormat {
        switch self {
        case .words(let words): words.isYUV ? Self.planes : .rgb24
        case .narrowed(_, _, let target): target
        case .coarse(let down, _): down ? .yuv420 : Self.halfPlanes
        }
    }

    /// Distance between two rows of the result in bytes.
    func targetRowBytes(width: Int) -> Int {
        switch self {
        case .words(let words): words.isYUV ? width : 3 * width
        case .narrowed(_, let rows, _): rows.samples * width
        case .coarse: width
        }
    }

    /// Bytes of the result.
    func targetByteCount(width: Int, height: Int) -> Int {
        switch self {
        case .words: 3 * width * height
        case .narrowed(_, let rows, _): rows.samples * width * rows.count(height)
        case .coarse(let down, _): width * height + 2 * (width / 2) * (down ? height / 2 : height)
        }
    }

    /// Bytes of the source's rows without padding.
    func rowBytes(width: Int) -> Int {
        switch self {
        case .words(let words): words.bytes * width
        case .narrowed(let samples, let rows, _): samples.bytes(rows.samples * width)
        case .coarse: width
        }
    }

    /// Bytes that a complete source frame has; the last row may lack its padding.
    func byteCount(width: Int, height: Int, stride: Int) -> Int {
        switch self {
        case .words: stride * (height - 1) + rowBytes(width: width)
        case .narrowed(_, let rows, _): stride * (rows.count(height) - 1) + rowBytes(width: width)
        case .coarse(let down, _): stride * height + 2 * (stride / 4) * (down ? height / 4 : height)
        }
    }

    /// True for sizes that divide into whole groups of samples.
    func takes(width: Int, height: Int) -> Bool {
        switch self {
        case .words: true
        case .narrowed(let samples, let rows, _): samples.takes(rows.samples * width) && width.isMultiple(of: 2)
        case .coarse(let down, _): width.isMultiple(of: 4) && height.isMultiple(of: down ? 4 : 1)
        }
    }

    /// Planes of Y, Cb and Cr at full resolution, one after the other.
    private static let planes = PixelFormat("YM24") ?? .rgb24
    /// The same with half as many chroma columns.
    private static let halfPlanes = PixelFormat("422P") ?? .yuyv
}

/// Layout of samples with more than eight bits.
enum SampleWidth: Sendable {
    /// 16 bits each, low byte first; the upper eight significant bits begin at bit `shift`.
    case words(shift: UInt16)
    /// High bytes of some samples, then the rest of their bits.
    case packed(samples: Int, bytes: Int)

    /// Bytes of a number of samples.
    func bytes(_ count: Int) -> Int {
        switch self {
        case .words: 2 * count
        case .packed(let samples, let bytes): count / samples * bytes
        }
    }

    /// True for a whole number of groups.
    func takes(_ count: Int) -> Bool {
        if case .packed(let samples, _) = self { return count.isMultiple(of: samples) }
        return true
    }

    /// Copies the upper eight bits of each sample.
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

/// Unpacker of frames of one format and size.
///
/// *session-bound*
struct Unpacker {
    /// Format's unpacking.
    let unpacking: Unpacking
    private let width: Int
    private let height: Int
    /// Distance between two rows of the source; a driver that reports less than a row is not believed.
    private let stride: Int
    /// Reader of packed pixels; `nil` for other formats.
    private let reader: PackedPixelReader?

    /// Prepares tables for one format and size.
    init(_ unpacking: Unpacking, width: Int, height: Int, bytesPerLine: Int) {
        self.unpacking = unpacking
        self.width = width
        self.height = height
        stride = max(bytesPerLine, unpacking.rowBytes(width: width))
        if case .words(let words) = unpacking { reader = PackedPixelReader(words) } else { reader = nil }
    }

    /// Unpacks a frame.
    ///
    /// - Parameters:
    ///   - picture: bytes of the driver's buffer.
    ///   - target: `targetByteCount` bytes.
    /// - Returns: false for an incomplete frame.
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

    /// Repeats each chroma sample in its row, and each chroma row where `down` is true: 4:1:0 and 4:1:1 become 4:2:0
    /// and 4:2:2, which encoders know.
    private func refine(_ source: UnsafeRawPointer, _ y: UnsafeMutablePointer<UInt8>, down: Bool, isSwapped: Bool) {
        for row in 0..<height {
            UnsafeMutableRawPointer(y + row * width).copyMemory(from: source + row * stride, byteCount: width)
        }
        let rows = down ? height / 4 : height
        let times = down ? 2 : 1
        for plane in 0..<2 {
            let from = source + stride * height + plane * (stride / 4) * rows
            // Cb comes first in the result, whichever comes first in the source.
            let isSecond = (plane == 1) != isSwapped
            let to = y + width * height + (isSecond ? width / 2 * rows * times : 0)
            for row in 0..<rows * times {
                let samples = (from + row / times * (stride / 4)).assumingMemoryBound(to: UInt8.self)
                for index in 0..<width / 2 { to[row * (width / 2) + index] = samples[index / 2] }
            }
        }
    }
}

/// Packed pixels: one word each, with three colours in it as bit fields.
struct PackedPixels: Sendable {
    /// Bit field of a word: position of its lowest bit, and its width, 10 at most.
    struct Field: Sendable {
        let shift: Int
        let bits: Int
    }

    /// Bytes of a word, 1 to 4.
    let bytes: Int
    /// True for V4L2's `-BE` codes.
    var isBigEndian = false
    /// True for Y, Cb and Cr, which become planes; false for R, G and B, which stay together.
    var isYUV = false
    /// Fields of R, G, B or Y, Cb, Cr.
    let fields: [Field]

    /// Describes packed pixels.
    ///
    /// - Parameters:
    ///   - bytes: bytes of a word, 1 to 4.
    ///   - places: lowest bit and width of each colour, such as `11:5 5:6 0:5`.
    ///   - isBigEndian: byte order of the word.
    ///   - isYUV: true for Y, Cb and Cr.
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

/// Reader of packed pixels, at some 300 megapixels a second.
///
/// *session-bound*
struct PackedPixelReader {
    /// Description of the pixels.
    private let words: PackedPixels
    /// Table of a field's value in eight bits, 1024 entries per colour: a lookup instead of a multiplication and a division.
    private let values: [UInt8]

    /// Entries per colour: fields have 10 bits at most.
    private static let most = 1024

    /// Computes the table.
    init(_ words: PackedPixels) {
        self.words = words
        values = words.fields.flatMap { field in
            (0..<Self.most).map { Self.eightBits($0 & (1 << field.bits - 1), field.bits, isYUV: words.isYUV) }
        }
    }

    /// Value in eight bits. White stays white with any number of bits, and the middle of Cb and Cr is preserved, since grey would
    /// otherwise get a colour.
    private static func eightBits(_ value: Int, _ bits: Int, isYUV: Bool) -> UInt8 {
        if isYUV { return UInt8(truncatingIfNeeded: bits > 8 ? value >> (bits - 8) : value << (8 - bits)) }
        let most = 1 << bits - 1
        return UInt8(truncatingIfNeeded: (value * 255 + most / 2) / most)
    }

    /// Reads a whole frame.
    ///
    /// - Parameters:
    ///   - source: first row.
    ///   - stride: distance between two rows in bytes.
    ///   - width: pixels.
    ///   - height: pixels.
    ///   - target: three bytes per pixel.
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

    /// Reads a row of words.
    private func read<Word: FixedWidthInteger & BitwiseCopyable>(
        _ word: Word.Type, _ source: UnsafeRawPointer, _ target: UnsafeMutablePointer<UInt8>, _ plane: Int, _ step: Int,
        _ count: Int
    ) {
        let size = MemoryLayout<Word>.size
        // Read out of the arrays once per row, so that the loop over the pixels does not check bounds.
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

    /// Reads a row of three bytes per pixel, for which there is no integer type.
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
