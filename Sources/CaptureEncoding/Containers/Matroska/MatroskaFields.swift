import CaptureGate

/// FlagInterlaced and FieldOrder (RFC 9559, 5.1.4.1.28.1 and 5.1.4.1.28.2).
enum MatroskaFieldOrder {
    static func append(_ order: FieldOrder, to video: inout EBML) {
        video.unsigned(.flagInterlaced, order == .progressive ? 2 : 1)
        // 1 and 6 say the same field first in time and in store: readers agree on them, and on 9 and 14 they don't.
        if order != .progressive { video.unsigned(.fieldOrder, order == .topFirst ? 1 : 6) }
    }

    static func read(_ field: (MatroskaID) -> UInt64) -> FieldOrder {
        guard field(.flagInterlaced) == 1 else { return .progressive }
        return field(.fieldOrder) == 6 ? .bottomFirst : .topFirst
    }
}

/// DisplayWidth and DisplayHeight (RFC 9559, 5.1.4.1.28.12 and 13) where pixels are not square.
enum MatroskaAspect {
    /// DisplayUnit: both are the shape of the picture, not a size, so that nothing must be rounded.
    private static let ratio: UInt64 = 3

    static func append(_ format: VideoFormat, to video: inout EBML) {
        guard let aspect = format.pixelAspect, !aspect.isSquare else { return }
        guard let shape = PixelAspect(format.width * aspect.width, format.height * aspect.height) else { return }
        video.unsigned(.displayWidth, UInt64(shape.width))
        video.unsigned(.displayHeight, UInt64(shape.height))
        video.unsigned(.displayUnit, ratio)
    }

    /// - Parameter size: of the picture, pixels.
    static func read(_ size: (UInt64, UInt64), _ field: (MatroskaID) -> UInt64) -> PixelAspect? {
        let shape = (field(.displayWidth), field(.displayHeight))
        guard field(.displayUnit) == ratio, shape.0 < 1 << 31, shape.1 < 1 << 31 else { return nil }
        return PixelAspect(Int(shape.0 * size.1), Int(shape.1 * size.0))
    }
}
