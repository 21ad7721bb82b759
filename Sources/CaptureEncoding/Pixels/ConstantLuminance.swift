import CaptureGate
import Glibc

/// BT.2020's Y of constant luminance (ITU-R BT.2020, table 4): Y is that of the light, so green is found by way of it.
struct ConstantLuminance: Hashable {
    private let black: Float
    private let lumaSteps: Float
    private let chromaSteps: Float

    init(_ range: Colorimetry.Range) {
        let weights = LumaCoefficients(.bt2020Constant, range)
        (black, lumaSteps, chromaSteps) = (Float(weights.black), Float(weights.lumaSteps), Float(weights.chromaSteps))
    }

    /// Values of 0…1, as they are in RGB.
    func colour(_ y: UInt8, _ cb: UInt8, _ cr: UInt8) -> (red: Float, green: Float, blue: Float) {
        let luma = (Float(y) - black) / lumaSteps
        let (fromBlue, fromRed) = ((Float(cb) - 128) / chromaSteps, (Float(cr) - 128) / chromaSteps)
        let blue = luma + fromBlue * (fromBlue <= 0 ? 1.9404 : 1.5816)
        let red = luma + fromRed * (fromRed <= 0 ? 1.7184 : 0.9936)
        let light = Self.light(luma) - 0.2627 * Self.light(red) - 0.0593 * Self.light(blue)
        return (red, Self.value(light / 0.6780), blue)
    }

    /// Changes the planes of a picture where they are.
    func apply(_ picture: Rows.Target, _ geometry: PlanarGeometry, to target: Colorimetry) {
        let cb = picture + geometry.lumaBytes
        let cr = cb + geometry.chromaBytes
        let weights = Weights(LumaCoefficients(target.matrix, target.range))
        let (across, down) = (geometry.sampling == .yuv444 ? 1 : 2, geometry.sampling == .yuv420 ? 2 : 1)
        for row in 0..<geometry.chromaHeight {
            for column in 0..<geometry.chromaWidth {
                let place = row * geometry.chromaWidth + column
                var chroma = (cb: UInt8(128), cr: UInt8(128))
                for y in (row * down..<min((row + 1) * down, geometry.height)).reversed() {
                    for x in (column * across..<min((column + 1) * across, geometry.width)).reversed() {
                        let sample = picture + (y * geometry.width + x)
                        let colour = colour(sample.pointee, cb[place], cr[place])
                        // Those of the first of the pixels that share them.
                        (sample.pointee, chroma.cb, chroma.cr) = weights.samples(colour)
                    }
                }
                (cb[place], cr[place]) = chroma
            }
        }
    }

    private struct Weights {
        private let red, green, blue, black, lumaSteps, chromaSteps: Float

        init(_ weights: LumaCoefficients) {
            (red, green, blue) = (Float(weights.red), Float(weights.green), Float(weights.blue))
            black = Float(weights.black)
            (lumaSteps, chromaSteps) = (Float(weights.lumaSteps), Float(weights.chromaSteps))
        }

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

    /// Rounded; what lies beyond is cut.
    static func byte(_ value: Float) -> UInt8 { UInt8(min(max(value.rounded(), 0), 255)) }

    // BT.709's curve by tables: its powers would cost more than all the rest.
    private static let steps: Float = 65_535
    private static let lights = (0...65_535).map { index -> Float in
        let value = Float(index) / steps
        return value < 0.081 ? value / 4.5 : powf((value + 0.099) / 1.099, 1 / 0.45)
    }
    private static let values = (0...65_535).map { index -> Float in
        let light = Float(index) / steps
        return light < 0.018 ? light * 4.5 : 1.099 * powf(light, 0.45) - 0.099
    }

    private static func light(_ value: Float) -> Float { lights[Int(min(max(value, 0), 1) * steps)] }
    private static func value(_ light: Float) -> Float { values[Int(min(max(light, 0), 1) * steps)] }
}
