import CaptureBase
import LinuxSystem

/// Constant-luminance YCbCr of ITU-R BT.2020, table 4.
///
/// Y is the gamma-coded luminance of linear light, not a sum of gamma-coded R, G and B; so green
/// follows from linear light alone, and no matrix does it.
package struct ConstantLuminance: Hashable {
    private let black: Float
    private let lumaSteps: Float
    private let chromaSteps: Float

    /// - Parameter range: of the source's codes.
    package init(_ range: Colorimetry.Range) {
        let weights = LumaCoefficients(.bt2020Constant, range)
        (black, lumaSteps, chromaSteps) = (Float(weights.black), Float(weights.lumaSteps), Float(weights.chromaSteps))
    }

    /// R, G and B of a pixel, gamma-coded, 0 to 1.
    package func colour(_ y: UInt8, _ cb: UInt8, _ cr: UInt8) -> (red: Float, green: Float, blue: Float) {
        let luma = (Float(y) - black) / lumaSteps
        let (fromBlue, fromRed) = ((Float(cb) - 128) / chromaSteps, (Float(cr) - 128) / chromaSteps)
        // Divisors of table 4: chroma has another scale on either side of zero.
        let blue = luma + fromBlue * (fromBlue <= 0 ? 1.9404 : 1.5816)
        let red = luma + fromRed * (fromRed <= 0 ? 1.7184 : 0.9936)
        // Luminance less the shares of red and blue leaves green's.
        let light = Self.light(luma) - 0.2627 * Self.light(red) - 0.0593 * Self.light(blue)
        return (red, Self.value(light / 0.6780), blue)
    }

    /// Converts a frame's planes in place.
    package func apply(_ picture: Rows.Target, _ geometry: PlanarGeometry, to target: Colorimetry) {
        let cb = picture + geometry.lumaBytes
        let cr = cb + geometry.chromaBytes
        let weights = Weights(LumaCoefficients(target.matrix, target.range))
        let (across, down) = (geometry.sampling == .yuv444 ? 1 : 2, geometry.sampling == .yuv420 ? 2 : 1)
        for row in 0..<geometry.chromaHeight {
            for column in 0..<geometry.chromaWidth {
                let place = row * geometry.chromaWidth + column
                var chroma = (cb: UInt8(128), cr: UInt8(128))
                // Backwards, so that the first pixel of a block comes last and leaves its chroma.
                for y in (row * down..<min((row + 1) * down, geometry.height)).reversed() {
                    for x in (column * across..<min((column + 1) * across, geometry.width)).reversed() {
                        let sample = picture + (y * geometry.width + x)
                        let colour = colour(sample.pointee, cb[place], cr[place])
                        // Chroma is that of the block's first pixel.
                        (sample.pointee, chroma.cb, chroma.cr) = weights.samples(colour)
                    }
                }
                (cb[place], cr[place]) = chroma
            }
        }
    }

    /// The target's coefficients in floats.
    private struct Weights {
        private let red, green, blue, black, lumaSteps, chromaSteps: Float

        init(_ weights: LumaCoefficients) {
            (red, green, blue) = (Float(weights.red), Float(weights.green), Float(weights.blue))
            black = Float(weights.black)
            (lumaSteps, chromaSteps) = (Float(weights.lumaSteps), Float(weights.chromaSteps))
        }

        /// Y, Cb and Cr of a colour.
        func samples(_ colour: (red: Float, green: Float, blue: Float)) -> (UInt8, UInt8, UInt8) {
            let luma = red * colour.red + green * colour.green + blue * colour.blue
            let cb = (colour.blue - luma) / (2 * (1 - blue))
            let cr = (colour.red - luma) / (2 * (1 - red))
            return (
                ConstantLuminance.byte(black + luma * lumaSteps), ConstantLuminance.byte(128 + cb * chromaSteps),
                ConstantLuminance.byte(128 + cr * chromaSteps)
            )
        }
    }

    /// Rounds and clamps to a byte.
    package static func byte(_ value: Float) -> UInt8 { UInt8(min(max(value.rounded(), 0), 255)) }

    /// BT.709's transfer function by tables, since powf(3) per pixel would cost more than all the
    /// rest.
    private static let steps: Float = 65_535
    private static let lights = (0...65_535).map { index -> Float in
        let value = Float(index) / steps
        return value < 0.081 ? value / 4.5 : power((value + 0.099) / 1.099, 1 / 0.45)
    }
    private static let values = (0...65_535).map { index -> Float in
        let light = Float(index) / steps
        return light < 0.018 ? light * 4.5 : 1.099 * power(light, 0.45) - 0.099
    }

    /// Linear light of a gamma-coded value.
    private static func light(_ value: Float) -> Float { lights[Int(min(max(value, 0), 1) * steps)] }
    /// Gamma-coded value of linear light.
    private static func value(_ light: Float) -> Float { values[Int(min(max(light, 0), 1) * steps)] }
}
