import CaptureGate

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

    /// R, G and B to Y, Cb and Cr of limited range (ITU-R BT.601), rounded to the nearest.
    static func separate(
        _ source: Source, _ y: Target, _ cb: Target, _ cr: Target, count: Int, red: Int, blue: Int,
        _ shares: RGBToYCbCr
    ) {
        for index in 0..<count {
            let pixel = source + 3 &* index
            let r = Int32(pixel[red]) &- shares.black
            let g = Int32(pixel[1]) &- shares.black
            let b = Int32(pixel[blue]) &- shares.black
            let (black, middle): (Int32, Int32) = (16 << 16 &+ 32_768, 128 << 16 &+ 32_768)
            y[index] = clamped(black &+ shares.luma.0 &* r &+ shares.luma.1 &* g &+ shares.luma.2 &* b)
            cb[index] = clamped(middle &+ shares.cb.0 &* r &+ shares.cb.1 &* g &+ shares.cb.2 &* b)
            cr[index] = clamped(middle &+ shares.cr.0 &* r &+ shares.cr.1 &* g &+ shares.cr.2 &* b)
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

/// What red, green and blue add to Y, Cb and Cr of limited range (ITU-R BT.601), in 1/65536.
struct RGBToYCbCr {
    let black: Int32
    let luma: (Int32, Int32, Int32)
    let cb: (Int32, Int32, Int32)
    let cr: (Int32, Int32, Int32)

    static let ofFull = RGBToYCbCr(
        black: 0, luma: (16_829, 33_039, 6_416), cb: (-9_714, -19_070, 28_784), cr: (28_784, -24_103, -4_681))
    static let ofLimited = RGBToYCbCr(
        black: 16, luma: (19_595, 38_470, 7_471), cb: (-11_311, -22_205, 33_516), cr: (33_516, -28_066, -5_450))
}

/// From Y, Cb and Cr to R, G and B of all values, in 1/65536.
struct YCbCrToRGB: Hashable {
    let black: Int32
    let luma: Int32
    let redCr: Int32
    let greenCb: Int32
    let greenCr: Int32
    let blueCb: Int32

    init(_ colorimetry: Colorimetry) {
        let weights = LumaCoefficients(colorimetry.matrix, colorimetry.range)
        func fixed(_ value: Double, _ steps: Double) -> Int32 { Int32((value * 65_536 * 255 / steps).rounded()) }
        black = weights.black
        luma = fixed(1, weights.lumaSteps)
        redCr = fixed(weights.redCr, weights.chromaSteps)
        greenCb = fixed(weights.greenCb, weights.chromaSteps)
        greenCr = fixed(weights.greenCr, weights.chromaSteps)
        blueCb = fixed(weights.blueCb, weights.chromaSteps)
    }
}

extension Rows {
    /// A row of R, G and B from one of Y and one of each chroma.
    /// - Parameter halves: whether two pixels share their chroma.
    static func mix(
        _ y: Source, _ cb: Source, _ cr: Source, into target: Target, count: Int, halves: Bool, _ matrix: YCbCrToRGB
    ) {
        let shift = halves ? 1 : 0
        for index in 0..<count {
            let luma = (Int32(y[index]) &- matrix.black) &* matrix.luma &+ 32_768
            let blue = Int32(cb[index &>> shift]) &- 128
            let red = Int32(cr[index &>> shift]) &- 128
            let pixel = target + 3 &* index
            pixel[0] = clamped(luma &+ matrix.redCr &* red)
            pixel[1] = clamped(luma &+ matrix.greenCb &* blue &+ matrix.greenCr &* red)
            pixel[2] = clamped(luma &+ matrix.blueCb &* blue)
        }
    }

    /// The same of Y of constant luminance.
    static func mix(
        _ y: Source, _ cb: Source, _ cr: Source, into target: Target, count: Int, halves: Bool,
        _ source: ConstantLuminance
    ) {
        for index in 0..<count {
            let shared = halves ? index / 2 : index
            let colour = source.colour(y[index], cb[shared], cr[shared])
            target[3 &* index] = ConstantLuminance.byte(255 * colour.red)
            target[3 &* index &+ 1] = ConstantLuminance.byte(255 * colour.green)
            target[3 &* index &+ 2] = ConstantLuminance.byte(255 * colour.blue)
        }
    }
}
