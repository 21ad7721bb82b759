import CaptureGate

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

extension PixelRows {
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
