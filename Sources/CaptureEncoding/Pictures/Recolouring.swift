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
    func finish(_ picture: PixelRows.Target, _ geometry: PlanarGeometry) {
        switch self {
        case .none, .widening: break
        case .wideningGrey: PixelRows.expandLuma(picture, into: picture, count: geometry.lumaBytes)
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
