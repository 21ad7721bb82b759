/// Encoder of the Quite OK Image format 1.0 (qoiformat.org), which needs a single pass.
struct QOI {
    let width: Int
    let height: Int
    /// True if the input has one byte per pixel, otherwise three.
    let isGrey: Bool

    /// Magic, width, height, channels and colour space.
    private static let headSize = 14
    /// End marker.
    private static let tail: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 1]

    /// Upper bound of the file in bytes: a pixel like no other takes four.
    var bound: Int { Self.headSize + 4 * width * height + Self.tail.count }

    /// Encodes an image.
    /// - Parameters:
    ///   - pixels: rows without padding.
    ///   - room: at least `bound` bytes.
    /// - Returns: the bytes written; 0 if `room` is too small.
    func encode(_ pixels: UnsafePointer<UInt8>, into room: UnsafeMutableRawBufferPointer) -> Int {
        guard room.count >= bound, let start = room.baseAddress else { return 0 }
        var writer = Writer(start.assumingMemoryBound(to: UInt8.self))
        writer.put(Array("qoif".utf8))
        for value in [width, height] { writer.put((0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }) }
        // Three channels of sRGB, none of them linear.
        writer.put([3, 0])
        for index in 0..<width * height {
            if isGrey {
                writer.put(Pixel(pixels[index], pixels[index], pixels[index]))
            } else {
                writer.put(Pixel(pixels[3 &* index], pixels[3 &* index &+ 1], pixels[3 &* index &+ 2]))
            }
        }
        writer.putRun()
        writer.put(Self.tail)
        return writer.count
    }

    /// Pixel, always opaque.
    private struct Pixel: Equatable {
        let r: UInt8
        let g: UInt8
        let b: UInt8

        init(_ r: UInt8, _ g: UInt8, _ b: UInt8) { (self.r, self.g, self.b) = (r, g, b) }

        /// Index into the pixels seen, by the format's hash; alpha is 255.
        var place: Int { (Int(r) &* 3 &+ Int(g) &* 5 &+ Int(b) &* 7 &+ 255 &* 11) & 63 }
    }

    /// Output with the state that a decoder keeps in step.
    private struct Writer {
        let to: UnsafeMutablePointer<UInt8>
        private(set) var count = 0
        /// A decoder starts with opaque black.
        private var last = Pixel(0, 0, 0)
        /// Repetitions of the last pixel that are not yet written.
        private var run = 0
        /// Starts with a value that no pixel has: a decoder's table starts transparent, and all of
        /// these pixels are opaque.
        private var seen = InlineArray<64, UInt32>(repeating: .max)

        init(_ to: UnsafeMutablePointer<UInt8>) { self.to = to }

        mutating func put(_ bytes: [UInt8]) { for byte in bytes { put(byte) } }

        private mutating func put(_ byte: UInt8) {
            to[count] = byte
            count &+= 1
        }

        /// QOI_OP_RUN: 1 to 62 repetitions; 63 and 64 are the bytes of RGB and RGBA.
        mutating func putRun() {
            guard run > 0 else { return }
            put(0xC0 | UInt8(run - 1))
            run = 0
        }

        /// Adds a pixel.
        mutating func put(_ pixel: Pixel) {
            if pixel == last {
                run += 1
                if run == 62 { putRun() }
                return
            }
            putRun()
            putNew(pixel)
            last = pixel
        }

        /// QOI_OP_INDEX, QOI_OP_DIFF, QOI_OP_LUMA or QOI_OP_RGB: the shortest that can say it.
        private mutating func putNew(_ pixel: Pixel) {
            let value = UInt32(pixel.r) << 16 | UInt32(pixel.g) << 8 | UInt32(pixel.b)
            if seen[pixel.place] == value { return put(UInt8(pixel.place)) }
            seen[pixel.place] = value
            let dr = Int(Int8(bitPattern: pixel.r &- last.r))
            let dg = Int(Int8(bitPattern: pixel.g &- last.g))
            let db = Int(Int8(bitPattern: pixel.b &- last.b))
            // Differences wrap around at 256, as the decoder's do.
            let (rg, bg) = (dr - dg, db - dg)
            if (-2...1).contains(dr), (-2...1).contains(dg), (-2...1).contains(db) {
                put(0x40 | UInt8((dr + 2) << 4 | (dg + 2) << 2 | (db + 2)))
            } else if (-32...31).contains(dg), (-8...7).contains(rg), (-8...7).contains(bg) {
                put(0x80 | UInt8(dg + 32))
                put(UInt8((rg + 8) << 4 | (bg + 8)))
            } else {
                put([0xFE, pixel.r, pixel.g, pixel.b])
            }
        }
    }
}
