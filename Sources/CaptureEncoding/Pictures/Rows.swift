/// Work on single rows of samples. Bounds are the callers' to keep; the compiler makes vector code of the loops.
enum Rows {
    typealias Source = UnsafePointer<UInt8>
    typealias Target = UnsafeMutablePointer<UInt8>

    /// Y0 Cb Y1 Cr: `pairs` of pixels into three rows.
    static func splitYUYV(_ source: UnsafeRawPointer, _ y: Target, _ cb: Target, _ cr: Target, pairs: Int) {
        let luma = UnsafeMutableRawPointer(y)
        for index in 0..<pairs {
            let word = source.loadUnaligned(fromByteOffset: 4 &* index, as: UInt32.self)
            let pair = UInt16(truncatingIfNeeded: word & 0xFF | word >> 8 & 0xFF00)
            luma.storeBytes(of: pair, toByteOffset: 2 &* index, as: UInt16.self)
            cb[index] = UInt8(truncatingIfNeeded: word >> 8)
            cr[index] = UInt8(truncatingIfNeeded: word >> 24)
        }
    }

    /// Cb Y0 Cr Y1: `pairs` of pixels into three rows.
    static func splitUYVY(_ source: UnsafeRawPointer, _ y: Target, _ cb: Target, _ cr: Target, pairs: Int) {
        let luma = UnsafeMutableRawPointer(y)
        for index in 0..<pairs {
            let word = source.loadUnaligned(fromByteOffset: 4 &* index, as: UInt32.self)
            let pair = UInt16(truncatingIfNeeded: word >> 8 & 0xFF | word >> 16 & 0xFF00)
            luma.storeBytes(of: pair, toByteOffset: 2 &* index, as: UInt16.self)
            cb[index] = UInt8(truncatingIfNeeded: word)
            cr[index] = UInt8(truncatingIfNeeded: word >> 16)
        }
    }

    /// Cb Cr, `count` of each, into two rows.
    static func split(_ source: UnsafeRawPointer, _ cb: Target, _ cr: Target, count: Int) {
        for index in 0..<count {
            let pair = source.loadUnaligned(fromByteOffset: 2 &* index, as: UInt16.self)
            cb[index] = UInt8(truncatingIfNeeded: pair)
            cr[index] = UInt8(truncatingIfNeeded: pair >> 8)
        }
    }

    /// 16 bits of grey to 8, by leaving out what lies below them.
    static func narrow(
        _ source: UnsafeRawPointer, into target: Target, count: Int, shift: UInt16, isBigEndian: Bool
    ) {
        for index in 0..<count {
            let raw = source.loadUnaligned(fromByteOffset: 2 &* index, as: UInt16.self)
            target[index] = UInt8(truncatingIfNeeded: (isBigEndian ? raw.byteSwapped : raw) >> shift)
        }
    }

    /// R, G and B of full range to Y, Cb and Cr of limited range (ITU-R BT.601), in 1/65536 and rounded to the nearest.
    static func separate(
        _ source: Source, _ y: Target, _ cb: Target, _ cr: Target, count: Int, red: Int, blue: Int
    ) {
        for index in 0..<count {
            let pixel = source + 3 &* index
            let (r, g, b) = (Int32(pixel[red]), Int32(pixel[1]), Int32(pixel[blue]))
            let half: Int32 = 1 << 15
            y[index] = UInt8(truncatingIfNeeded: 16 &+ (16_829 &* r &+ 33_039 &* g &+ 6_416 &* b &+ half) >> 16)
            cb[index] = UInt8(truncatingIfNeeded: 128 &+ (-9_714 &* r &- 19_070 &* g &+ 28_784 &* b &+ half) >> 16)
            cr[index] = UInt8(truncatingIfNeeded: 128 &+ (28_784 &* r &- 24_103 &* g &- 4_681 &* b &+ half) >> 16)
        }
    }

    /// The mean of two rows, halves upwards, into `target`, which may be either.
    static func average(_ first: Source, _ second: Source, into target: Target, count: Int) {
        for index in 0..<count {
            target[index] = UInt8(truncatingIfNeeded: (UInt16(first[index]) &+ UInt16(second[index]) &+ 1) >> 1)
        }
    }

    /// Y of 16...235 to 0...255, as JFIF wants it; beyond is cut. `target` may be `source`.
    static func expandLuma(_ source: Source, into target: Target, count: Int) {
        for index in 0..<count {
            let value = min(max(UInt16(source[index]), 16), 235) &- 16
            target[index] = UInt8(truncatingIfNeeded: (value &* 298 &+ 128) >> 8)
        }
    }

    /// Cb and Cr of 16...240 to 1...255 around 128. `target` may be `source`.
    static func expandChroma(_ source: Source, into target: Target, count: Int) {
        for index in 0..<count {
            let value = min(max(UInt16(source[index]), 16), 240) &- 16
            target[index] = UInt8(truncatingIfNeeded: (value &* 291 &+ 256) >> 8)
        }
    }
}
