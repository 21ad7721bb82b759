import CaptureBase

/// Change of a frame's samples that gives them the colorimetry a file format implies.
package enum ColourConversion: Hashable {
    /// Colorimetry of the result.
    package enum Target {
        /// The camera's own.
        case source
        /// JFIF's (ITU-T T.871): BT.601, full range.
        case jpeg
        /// YUV4MPEG2's as readers take it: BT.601, since the format can't state a matrix; the
        /// source's range, since it can state that.
        case y4m
    }

    /// The samples are already in it.
    case none
    /// BT.601 of limited range to full range, row by row as the planes are made.
    case widening
    /// Grey of limited range to full range.
    case wideningGrey
    /// Another matrix, in fixed point.
    case linear(YCbCrTransform)
    /// BT.2020's constant luminance, which no matrix describes.
    case constantLuminance(ConstantLuminance, Colorimetry)

    /// - Parameters:
    ///   - source: colorimetry of the frame.
    ///   - arrangement: samples of the frame; RGB is converted elsewhere.
    ///   - target: colorimetry of the result.
    package init(_ source: Colorimetry, _ arrangement: PixelArrangement, to target: Target) {
        switch arrangement {
        case .rgb: self = .none
        case .grey, .deepGrey: self = target == .jpeg && source.range == .limited ? .wideningGrey : .none
        case .packed, .planar, .semiplanar: self = Self.planes(source, target)
        }
    }

    /// Change of a frame in YCbCr.
    private static func planes(_ source: Colorimetry, _ target: Target) -> ColourConversion {
        guard target != .source else { return .none }
        var meant = source.asJPEG
        if target == .y4m { meant.range = source.range }
        if source.matrix == .bt2020Constant { return .constantLuminance(ConstantLuminance(source.range), meant) }
        // RGB reported for YCbCr is treated as BT.601.
        guard source.matrix == .bt601 || source.matrix == .rgb else {
            return .linear(YCbCrTransform(from: source, to: meant))
        }
        return source.range == meant.range ? .none : .widening
    }

    /// Applies the conversions that need whole planes.
    package func finish(_ picture: Rows.Target, _ geometry: PlanarGeometry) {
        switch self {
        case .none, .widening: break
        case .wideningGrey: Rows.expandLuma(picture, into: picture, count: geometry.lumaBytes)
        case .linear(let transform): transform.apply(picture, geometry)
        case .constantLuminance(let source, let target): source.apply(picture, geometry, to: target)
        }
    }
}

/// Corrected range.
extension VideoFormat {
    /// The format with a range that a person has set against the camera's driver; RGB and grey keep theirs.
    package func of(_ range: MJPEGParameters.Range) -> VideoFormat {
        var format = self
        switch range {
        case .asSource: break
        case .limited where PixelArrangement(pixelFormat)?.hasChromaPlanes ?? false:
            format.colorimetry.range = .limited
        case .full where PixelArrangement(pixelFormat)?.hasChromaPlanes ?? false: format.colorimetry.range = .full
        case .limited, .full: break
        }
        return format
    }
}

/// Luma coefficients of a matrix, and code ranges of 8-bit Y, Cb and Cr (ITU-R BT.601, BT.709,
/// BT.2020, SMPTE 240M).
package struct LumaCoefficients {
    /// Kr, Kb and Kg, which add up to 1.
    package let red: Double
    package let blue: Double
    package var green: Double { 1 - red - blue }
    /// Codes from black to white, and from the lowest to the highest Cb or Cr.
    package let lumaSteps: Double
    package let chromaSteps: Double
    /// Code of black.
    package let black: Int32

    package init(_ matrix: Colorimetry.Matrix, _ range: Colorimetry.Range) {
        switch matrix {
        case .bt709: (red, blue) = (0.2126, 0.0722)
        case .smpte240M: (red, blue) = (0.212, 0.087)
        case .bt2020, .bt2020Constant: (red, blue) = (0.2627, 0.0593)
        // Frames without a matrix are treated as the most common one.
        case .bt601, .rgb: (red, blue) = (0.299, 0.114)
        }
        (lumaSteps, chromaSteps, black) = range == .limited ? (219, 224, 16) : (255, 255, 0)
    }

    /// Shares of Cb and Cr in red, green and blue, chroma running from -1/2 to 1/2; Y's share is 1
    /// in each.
    package var redCr: Double { 2 * (1 - red) }
    package var blueCb: Double { 2 * (1 - blue) }
    package var greenCb: Double { -blue * blueCb / green }
    package var greenCr: Double { -red * redCr / green }
}

/// Conversion between Y, Cb and Cr of two matrices and ranges, in 1/65536.
///
/// Grey stays grey under every matrix, so the new Cb and Cr do not depend on Y: seven coefficients
/// instead of nine.
package struct YCbCrTransform: Hashable {
    /// Codes of black.
    package let sourceBlack: Int32
    package let targetBlack: Int32
    /// Share of Y in Y, then of Cb and Cr in each of Y, Cb and Cr.
    package let luma: Int32
    package let lumaCb: Int32
    package let lumaCr: Int32
    package let blueCb: Int32
    package let blueCr: Int32
    package let redCb: Int32
    package let redCr: Int32

    /// - Parameters:
    ///   - source: colorimetry of the frame.
    ///   - target: colorimetry that it is to have; transfer and primaries stay.
    package init(from source: Colorimetry, to target: Colorimetry) {
        let (from, to) = (
            LumaCoefficients(source.matrix, source.range), LumaCoefficients(target.matrix, target.range)
        )
        // Luma that the source's chroma carries under the target's coefficients; the source's own Y counts fully.
        let fromCb = to.green * from.greenCb + to.blue * from.blueCb
        let fromCr = to.red * from.redCr + to.green * from.greenCr
        let luma = to.lumaSteps / from.chromaSteps
        let chroma = to.chromaSteps / from.chromaSteps
        // Products of 8-bit codes and these coefficients fit into 32 bits.
        func fixed(_ value: Double) -> Int32 { Int32((value * 65_536).rounded()) }
        sourceBlack = from.black
        targetBlack = to.black
        self.luma = fixed(to.lumaSteps / from.lumaSteps)
        lumaCb = fixed(fromCb * luma)
        lumaCr = fixed(fromCr * luma)
        blueCb = fixed((from.blueCb - fromCb) / to.blueCb * chroma)
        blueCr = fixed(-fromCr / to.blueCb * chroma)
        redCb = fixed(-fromCb / to.redCr * chroma)
        redCr = fixed((from.redCr - fromCr) / to.redCr * chroma)
    }

    /// Converts a frame's planes in place: Y first, since it needs the old Cb and Cr.
    package func apply(_ picture: Rows.Target, _ geometry: PlanarGeometry) {
        let cb = picture + geometry.lumaBytes
        let cr = cb + geometry.chromaBytes
        for row in 0..<geometry.height {
            let start = (geometry.sampling == .yuv420 ? row / 2 : row) * geometry.chromaWidth
            let luma = picture + row * geometry.width
            if geometry.sampling == .yuv444 {
                Rows.shiftLuma(luma, cb + start, cr + start, count: geometry.width, self)
            } else {
                Rows.shiftPairs(luma, cb + start, cr + start, count: geometry.width, self)
            }
        }
        Rows.turnChroma(cb, cr, count: geometry.chromaBytes, self)
    }
}

/// Row kernels of the conversion; wrapping operators, because overflow checks keep the compiler
/// from vectorizing.
extension Rows {
    /// Converts Y with one Cb and Cr per pixel.
    package static func shiftLuma(_ y: Target, _ cb: Source, _ cr: Source, count: Int, _ change: YCbCrTransform) {
        for index in 0..<count {
            let shift = shift(cb[index], cr[index], change)
            y[index] = clamped((Int32(y[index]) &- change.sourceBlack) &* change.luma &+ shift)
        }
    }

    /// Converts Y of two pixels that share Cb and Cr; both are loaded as one 16-bit word.
    package static func shiftPairs(_ y: Target, _ cb: Source, _ cr: Source, count: Int, _ change: YCbCrTransform) {
        let pairs = UnsafeMutableRawPointer(y)
        for index in 0..<count / 2 {
            let shift = shift(cb[index], cr[index], change)
            let pair = pairs.loadUnaligned(fromByteOffset: 2 &* index, as: UInt16.self)
            let first = clamped((Int32(pair & 0xFF) &- change.sourceBlack) &* change.luma &+ shift)
            let second = clamped((Int32(pair >> 8) &- change.sourceBlack) &* change.luma &+ shift)
            pairs.storeBytes(of: UInt16(first) | UInt16(second) << 8, toByteOffset: 2 &* index, as: UInt16.self)
        }
        guard !count.isMultiple(of: 2) else { return }
        shiftLuma(y + (count - 1), cb + count / 2, cr + count / 2, count: 1, change)
    }

    /// Converts Cb and Cr, each by both.
    package static func turnChroma(_ cb: Target, _ cr: Target, count: Int, _ change: YCbCrTransform) {
        for index in 0..<count {
            let (blue, red) = (Int32(cb[index]) &- 128, Int32(cr[index]) &- 128)
            let middle: Int32 = 128 << 16 &+ 32_768
            cb[index] = clamped(middle &+ change.blueCb &* blue &+ change.blueCr &* red)
            cr[index] = clamped(middle &+ change.redCb &* blue &+ change.redCr &* red)
        }
    }

    /// Luma that Cb and Cr add, with the target's black and half a step for rounding.
    private static func shift(_ cb: UInt8, _ cr: UInt8, _ change: YCbCrTransform) -> Int32 {
        let black = change.targetBlack << 16 &+ 32_768
        return black &+ change.lumaCb &* (Int32(cb) &- 128) &+ change.lumaCr &* (Int32(cr) &- 128)
    }

    /// Integer part of 1/65536, clamped to a byte.
    package static func clamped(_ value: Int32) -> UInt8 { UInt8(truncatingIfNeeded: min(max(value >> 16, 0), 255)) }
}
