/// The Quite OK Image format, 1.0 (qoiformat.org): a picture in one pass.
struct QOI {
    let width: Int
    let height: Int
    /// One byte a pixel comes in, else three.
    let isGrey: Bool

    private static let headSize = 14
    private static let tail: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 1]

    /// The most it can need, bytes: a pixel that is like no other takes four.
    var bound: Int { Self.headSize + 4 * width * height + Self.tail.count }

    /// - Parameter pixels: rows without padding.
    /// - Returns: the bytes written.
    func encode(_ pixels: UnsafePointer<UInt8>, into room: UnsafeMutableRawBufferPointer) -> Int {
        guard room.count >= bound, let start = room.baseAddress else { return 0 }
        var writer = Writer(start.assumingMemoryBound(to: UInt8.self))
        writer.put(Array("qoif".utf8))
        for value in [width, height] { writer.put((0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }) }
        // Three channels, of which none is linear.
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

    private struct Pixel: Equatable {
        let r: UInt8
        let g: UInt8
        let b: UInt8

        init(_ r: UInt8, _ g: UInt8, _ b: UInt8) { (self.r, self.g, self.b) = (r, g, b) }

        /// Its place among the pixels that were seen; all are opaque.
        var place: Int { (Int(r) &* 3 &+ Int(g) &* 5 &+ Int(b) &* 7 &+ 255 &* 11) & 63 }
    }

    private struct Writer {
        let to: UnsafeMutablePointer<UInt8>
        private(set) var count = 0
        private var last = Pixel(0, 0, 0)
        private var run = 0
        // Begins with what no pixel is: a decoder's begin transparent, and all of ours are opaque.
        private var seen = InlineArray<64, UInt32>(repeating: .max)

        init(_ to: UnsafeMutablePointer<UInt8>) { self.to = to }

        mutating func put(_ bytes: [UInt8]) { for byte in bytes { put(byte) } }

        private mutating func put(_ byte: UInt8) {
            to[count] = byte
            count &+= 1
        }

        mutating func putRun() {
            guard run > 0 else { return }
            put(0xC0 | UInt8(run - 1))
            run = 0
        }

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

        private mutating func putNew(_ pixel: Pixel) {
            let value = UInt32(pixel.r) << 16 | UInt32(pixel.g) << 8 | UInt32(pixel.b)
            if seen[pixel.place] == value { return put(UInt8(pixel.place)) }
            seen[pixel.place] = value
            let dr = Int(Int8(bitPattern: pixel.r &- last.r))
            let dg = Int(Int8(bitPattern: pixel.g &- last.g))
            let db = Int(Int8(bitPattern: pixel.b &- last.b))
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
