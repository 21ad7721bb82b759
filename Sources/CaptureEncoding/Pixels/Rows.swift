import CaptureBase

/// Kernels for single rows of samples.
///
/// Callers guarantee the bounds. Plain loops with wrapping operators, which the compiler
/// vectorizes; checked ones it does not.
package enum Rows {
    package typealias Source = UnsafePointer<UInt8>
    package typealias Target = UnsafeMutablePointer<UInt8>

    /// Splits Y0 Cb Y1 Cr, `pairs` of pixels, into three rows.
    package static func splitYUYV(_ source: UnsafeRawPointer, _ y: Target, _ cb: Target, _ cr: Target, pairs: Int) {
        let luma = UnsafeMutableRawPointer(y)
        for index in 0..<pairs {
            let word = source.loadUnaligned(fromByteOffset: 4 &* index, as: UInt32.self)
            let pair = UInt16(truncatingIfNeeded: word & 0xFF | word >> 8 & 0xFF00)
            luma.storeBytes(of: pair, toByteOffset: 2 &* index, as: UInt16.self)
            cb[index] = UInt8(truncatingIfNeeded: word >> 8)
            cr[index] = UInt8(truncatingIfNeeded: word >> 24)
        }
    }

    /// Splits Cb Y0 Cr Y1, `pairs` of pixels, into three rows.
    package static func splitUYVY(_ source: UnsafeRawPointer, _ y: Target, _ cb: Target, _ cr: Target, pairs: Int) {
        let luma = UnsafeMutableRawPointer(y)
        for index in 0..<pairs {
            let word = source.loadUnaligned(fromByteOffset: 4 &* index, as: UInt32.self)
            let pair = UInt16(truncatingIfNeeded: word >> 8 & 0xFF | word >> 16 & 0xFF00)
            luma.storeBytes(of: pair, toByteOffset: 2 &* index, as: UInt16.self)
            cb[index] = UInt8(truncatingIfNeeded: word)
            cr[index] = UInt8(truncatingIfNeeded: word >> 16)
        }
    }

    /// Splits Cb Cr, `count` of each, into two rows.
    package static func split(_ source: UnsafeRawPointer, _ cb: Target, _ cr: Target, count: Int) {
        for index in 0..<count {
            let pair = source.loadUnaligned(fromByteOffset: 2 &* index, as: UInt16.self)
            cb[index] = UInt8(truncatingIfNeeded: pair)
            cr[index] = UInt8(truncatingIfNeeded: pair >> 8)
        }
    }

    /// Narrows 16-bit grey to 8 bits by dropping the lower ones.
    package static func narrow(
        _ source: UnsafeRawPointer, into target: Target, count: Int, shift: UInt16, isBigEndian: Bool
    ) {
        for index in 0..<count {
            let raw = source.loadUnaligned(fromByteOffset: 2 &* index, as: UInt16.self)
            target[index] = UInt8(truncatingIfNeeded: (isBigEndian ? raw.byteSwapped : raw) >> shift)
        }
    }

    /// Converts R, G and B to Y, Cb and Cr of limited range (ITU-R BT.601), rounded to the nearest.
    package static func separate(
        _ source: Source, _ y: Target, _ cb: Target, _ cr: Target, count: Int, red: Int, blue: Int,
        _ shares: RGBToYCbCr
    ) {
        for index in 0..<count {
            let pixel = source + 3 &* index
            let r = Int32(pixel[red]) &- shares.black
            let g = Int32(pixel[1]) &- shares.black
            let b = Int32(pixel[blue]) &- shares.black
            // Codes of black and of no colour, with half a step for rounding.
            let (black, middle): (Int32, Int32) = (16 << 16 &+ 32_768, 128 << 16 &+ 32_768)
            y[index] = clamped(black &+ shares.luma.0 &* r &+ shares.luma.1 &* g &+ shares.luma.2 &* b)
            cb[index] = clamped(middle &+ shares.cb.0 &* r &+ shares.cb.1 &* g &+ shares.cb.2 &* b)
            cr[index] = clamped(middle &+ shares.cr.0 &* r &+ shares.cr.1 &* g &+ shares.cr.2 &* b)
        }
    }

    /// Averages two rows, halves rounded up; `target` may be either.
    package static func average(_ first: Source, _ second: Source, into target: Target, count: Int) {
        for index in 0..<count {
            target[index] = UInt8(truncatingIfNeeded: (UInt16(first[index]) &+ UInt16(second[index]) &+ 1) >> 1)
        }
    }

    /// Expands Y of 16…235 to 0…255, JFIF's range; codes beyond are clipped. `target` may be
    /// `source`.
    package static func expandLuma(_ source: Source, into target: Target, count: Int) {
        for index in 0..<count {
            let value = min(max(UInt16(source[index]), 16), 235) &- 16
            // 298/256 is 255/219.
            target[index] = UInt8(truncatingIfNeeded: (value &* 298 &+ 128) >> 8)
        }
    }

    /// Expands Cb and Cr of 16…240 to 1…255 around 128. `target` may be `source`.
    package static func expandChroma(_ source: Source, into target: Target, count: Int) {
        for index in 0..<count {
            let value = min(max(UInt16(source[index]), 16), 240) &- 16
            // 291/256 is 255/224. Adding a whole code makes the lowest one 1, so that 128 stays 128.
            target[index] = UInt8(truncatingIfNeeded: (value &* 291 &+ 256) >> 8)
        }
    }
}

/// Coefficients of RGB to limited-range Y, Cb and Cr (ITU-R BT.601), in 1/65536.
package struct RGBToYCbCr {
    /// Code of black in RGB.
    package let black: Int32
    /// Shares of red, green and blue.
    package let luma: (Int32, Int32, Int32)
    package let cb: (Int32, Int32, Int32)
    package let cr: (Int32, Int32, Int32)

    /// RGB of 0 to 255.
    package static let ofFull = RGBToYCbCr(
        black: 0, luma: (16_829, 33_039, 6_416), cb: (-9_714, -19_070, 28_784), cr: (28_784, -24_103, -4_681))
    /// RGB of 16 to 235.
    package static let ofLimited = RGBToYCbCr(
        black: 16, luma: (19_595, 38_470, 7_471), cb: (-11_311, -22_205, 33_516), cr: (33_516, -28_066, -5_450))
}

/// Coefficients of Y, Cb and Cr to full-range R, G and B, in 1/65536.
package struct YCbCrToRGB: Hashable {
    package let black: Int32
    package let luma: Int32
    package let redCr: Int32
    package let greenCb: Int32
    package let greenCr: Int32
    package let blueCb: Int32

    /// - Parameter colorimetry: matrix and range of the source; transfer and primaries stay.
    package init(_ colorimetry: Colorimetry) {
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

/// Row kernels of YCbCr to RGB.
extension Rows {
    /// Converts a row of Y and one of each chroma to R, G and B.
    /// - Parameters:
    ///   - y: `count` samples.
    ///   - cb: as many, or half as many.
    ///   - cr: as `cb`.
    ///   - target: 3 · `count` bytes.
    ///   - count: pixels.
    ///   - halves: two pixels share their chroma; it is repeated, not interpolated.
    ///   - matrix: coefficients.
    package static func mix(
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

    /// Converts a row of BT.2020's constant luminance.
    package static func mix(
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
