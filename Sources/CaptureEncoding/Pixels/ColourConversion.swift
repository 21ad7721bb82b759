import CaptureGate

/// What must be done to the samples of a picture so that they mean what a file's format says.
enum ColourConversion: Hashable {
    /// Whose meaning the planes are to have.
    enum Target {
        /// The camera's own.
        case source
        /// JFIF's: BT.601, all values.
        case jpeg
        /// What readers of YUV4MPEG2 take it for, which has no word for the matrix: BT.601. It has one for the range.
        case y4m
    }

    case none
    /// BT.601 of limited range to all values: done on the way, row by row.
    case widening
    /// Grey of limited range to all values.
    case wideningGrey
    case linear(YCbCrTransform)
    case constantLuminance(ConstantLuminance, Colorimetry)

    init(_ source: Colorimetry, _ arrangement: PixelArrangement, to target: Target) {
        switch arrangement {
        case .rgb: self = .none
        case .grey, .deepGrey: self = target == .jpeg && source.range == .limited ? .wideningGrey : .none
        case .packed, .planar, .semiplanar: self = Self.planes(source, target)
        }
    }

    private static func planes(_ source: Colorimetry, _ target: Target) -> ColourConversion {
        guard target != .source else { return .none }
        var meant = source.asJPEG
        if target == .y4m { meant.range = source.range }
        if source.matrix == .bt2020Constant { return .constantLuminance(ConstantLuminance(source.range), meant) }
        guard source.matrix == .bt601 || source.matrix == .rgb else {
            return .linear(YCbCrTransform(from: source, to: meant))
        }
        return source.range == meant.range ? .none : .widening
    }

    /// What is left to do once the planes are in `picture`.
    func finish(_ picture: Rows.Target, _ geometry: PlanarGeometry) {
        switch self {
        case .none, .widening: break
        case .wideningGrey: Rows.expandLuma(picture, into: picture, count: geometry.lumaBytes)
        case .linear(let transform): transform.apply(picture, geometry)
        case .constantLuminance(let source, let target): source.apply(picture, geometry, to: target)
        }
    }
}

extension VideoFormat {
    /// The same, with a range that a person knows better than the camera's driver.
    func of(_ range: MJPEGParameters.Range) -> VideoFormat {
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

/// How much of red and of blue is in Y, and where Y, Cb and Cr of eight bits lie (ITU-R BT.601, BT.709, BT.2020, SMPTE 240M).
struct LumaCoefficients {
    let red: Double
    let blue: Double
    var green: Double { 1 - red - blue }
    /// From black to white, and from the least to the most of Cb and Cr.
    let lumaSteps: Double
    let chromaSteps: Double
    let black: Int32

    init(_ matrix: Colorimetry.Matrix, _ range: Colorimetry.Range) {
        switch matrix {
        case .bt709: (red, blue) = (0.2126, 0.0722)
        case .smpte240M: (red, blue) = (0.212, 0.087)
        case .bt2020, .bt2020Constant: (red, blue) = (0.2627, 0.0593)
        // Pictures without colour, and of none of these, are taken for the commonest.
        case .bt601, .rgb: (red, blue) = (0.299, 0.114)
        }
        (lumaSteps, chromaSteps, black) = range == .limited ? (219, 224, 16) : (255, 255, 0)
    }

    /// Red, green and blue of a Y, Cb and Cr alone, each of a whole step: 1 for Y, and from -1/2 to 1/2.
    var redCr: Double { 2 * (1 - red) }
    var blueCb: Double { 2 * (1 - blue) }
    var greenCb: Double { -blue * blueCb / green }
    var greenCr: Double { -red * redCr / green }
}

/// From Y, Cb and Cr of one matrix and range to those of another, in 1/65536. Grey stays grey, so the new Cb and Cr need no Y.
struct YCbCrTransform: Hashable {
    let sourceBlack: Int32
    let targetBlack: Int32
    let luma: Int32
    let lumaCb: Int32
    let lumaCr: Int32
    let blueCb: Int32
    let blueCr: Int32
    let redCb: Int32
    let redCr: Int32

    init(from source: Colorimetry, to target: Colorimetry) {
        let (from, to) = (
            LumaCoefficients(source.matrix, source.range), LumaCoefficients(target.matrix, target.range)
        )
        // The new Y of the old colours, whose Y is taken as none.
        let fromCb = to.green * from.greenCb + to.blue * from.blueCb
        let fromCr = to.red * from.redCr + to.green * from.greenCr
        let luma = to.lumaSteps / from.chromaSteps
        let chroma = to.chromaSteps / from.chromaSteps
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

    /// Changes the planes of a picture where they are.
    func apply(_ picture: Rows.Target, _ geometry: PlanarGeometry) {
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

extension Rows {
    /// Y by its own Cb and Cr.
    static func shiftLuma(_ y: Target, _ cb: Source, _ cr: Source, count: Int, _ change: YCbCrTransform) {
        for index in 0..<count {
            let shift = shift(cb[index], cr[index], change)
            y[index] = clamped((Int32(y[index]) &- change.sourceBlack) &* change.luma &+ shift)
        }
    }

    /// Y of two pixels by the Cb and Cr that they share.
    static func shiftPairs(_ y: Target, _ cb: Source, _ cr: Source, count: Int, _ change: YCbCrTransform) {
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

    /// Cb and Cr, each by both.
    static func turnChroma(_ cb: Target, _ cr: Target, count: Int, _ change: YCbCrTransform) {
        for index in 0..<count {
            let (blue, red) = (Int32(cb[index]) &- 128, Int32(cr[index]) &- 128)
            let middle: Int32 = 128 << 16 &+ 32_768
            cb[index] = clamped(middle &+ change.blueCb &* blue &+ change.blueCr &* red)
            cr[index] = clamped(middle &+ change.redCb &* blue &+ change.redCr &* red)
        }
    }

    private static func shift(_ cb: UInt8, _ cr: UInt8, _ change: YCbCrTransform) -> Int32 {
        let black = change.targetBlack << 16 &+ 32_768
        return black &+ change.lumaCb &* (Int32(cb) &- 128) &+ change.lumaCr &* (Int32(cr) &- 128)
    }

    /// Of 1/65536.
    static func clamped(_ value: Int32) -> UInt8 { UInt8(truncatingIfNeeded: min(max(value >> 16, 0), 255)) }
}
