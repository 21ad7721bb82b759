import CaptureBase

/// Planes of Y, Cb and Cr in 4:2:0, in memory of another's.
struct YUV420Picture {
    let y: UnsafePointer<UInt8>
    let cb: UnsafePointer<UInt8>
    let cr: UnsafePointer<UInt8>
    /// Bytes from row to row of each plane.
    let strides: (Int, Int, Int)

    init(y: UnsafePointer<UInt8>, cb: UnsafePointer<UInt8>, cr: UnsafePointer<UInt8>, strides: (Int, Int, Int)) {
        (self.y, self.cb, self.cr) = (y, cb, cr)
        self.strides = strides
    }
}

/// Converter of a camera's frames to planes of 4:2:0, as encoders of predicted frames take them.
///
/// Planes of 4:2:0 stay in the driver's buffer. Everything else is converted into memory that is
/// reused: packed and planar 4:2:2 and 4:4:4, RGB, grey, and the JPEG images of a camera.
///
/// *session-bound*
final class YUV420Converter {
    /// Colorimetry of the planes.
    let colorimetry: Colorimetry
    private let format: VideoFormat
    /// Separates raw frames; `nil` for JPEG.
    private let planarizer: Planarizer?
    /// Decodes JPEG.
    private let decoder = JPEGPlaneDecoder()
    /// Adds the parts that cameras omit from their images; `nil` for raw frames.
    private let repair: MJPEGRepair?
    private var images = PacketBuffer()
    /// Narrows full range to the limited one of the same matrix.
    private let narrowing: YCbCrTransform?
    /// Planes of the result, with room for 4:4:4 before its chroma is reduced.
    private let planes: UnsafeMutableBufferPointer<UInt8>
    /// Cb and Cr of grey.
    private let neutral: UnsafeMutableBufferPointer<UInt8>

    /// - Parameters:
    ///   - format: of the camera's frames.
    ///   - target: colorimetry of the planes: the source's, or one that the codec can state.
    ///   - isLimited: converts full range to limited, for a codec that knows no other.
    /// - Returns: `nil` for a format without a layout here.
    init?(_ format: VideoFormat, to target: ColourConversion.Target = .source, isLimited: Bool = false) {
        let planarizer = Planarizer(format, sampling: .yuv420, to: target, takesRGB: true)
        let isJPEG = format.pixelFormat.isJPEG
        guard isJPEG || planarizer != nil else { return nil }
        self.format = format
        self.planarizer = planarizer
        repair = isJPEG ? MJPEGRepair(format: format) : nil
        let meaning = Self.meaning(of: format, target)
        var limited = meaning
        limited.range = .limited
        narrowing = isLimited && meaning.range == .full ? YCbCrTransform(from: meaning, to: limited) : nil
        colorimetry = isLimited ? limited : meaning
        // The decoder fills whole blocks of 2 x 2, of images that may have up to 15 rows more.
        let size = (format.width + format.width % 2) * (format.height + format.height % 2 + 16)
        planes = .allocate(capacity: 3 * size + 2 * format.width)
        neutral = .allocate(capacity: size / 4)
        neutral.initialize(repeating: 128)
    }

    deinit {
        planes.deallocate()
        neutral.deallocate()
    }

    /// Colorimetry of the planes ahead of narrowing.
    private static func meaning(of format: VideoFormat, _ target: ColourConversion.Target) -> Colorimetry {
        var meaning = format.pixelFormat.isJPEG ? format.colorimetry.asJPEG : format.colorimetry
        // The planarizer makes limited-range BT.601 of RGB.
        if case .rgb = PixelArrangement(format.pixelFormat) { (meaning.matrix, meaning.range) = (.bt601, .limited) }
        if target == .y4m || meaning.matrix == .rgb { meaning.matrix = .bt601 }
        return meaning
    }

    /// Images that were repaired ahead of their decoding.
    var repaired: UInt64 { repair?.counts.repaired ?? 0 }

    /// Converts one frame.
    /// - Parameter data: one driver buffer, which must outlive the planes.
    /// - Returns: `nil` for a frame that is short or broken.
    func picture(of data: RawSpan) throws(CaptureError) -> YUV420Picture? {
        guard let repair else { return data.withUnsafeBytes { raw($0) } }
        if let place = repair.pass(data) { return data.extracting(place).withUnsafeBytes { decode($0) } }
        images.removeAll()
        try repair.encode(data, at: 0, into: &images)
        return images.count == 0 ? nil : images.withBytes(of: 0) { decode($0) }
    }

    private func raw(_ data: UnsafeRawBufferPointer) -> YUV420Picture? {
        guard let source = data.baseAddress, let target = planes.baseAddress, let planarizer else { return nil }
        guard data.count >= planarizer.layout.byteCount else { return nil }
        if let own = borrowed(source, planarizer) { return own }
        planarizer.convert(source, into: target)
        return reduced(target, planarizer.geometry)
    }

    /// Planes of the driver's buffer that need no conversion.
    private func borrowed(_ source: UnsafeRawPointer, _ planarizer: Planarizer) -> YUV420Picture? {
        guard narrowing == nil, planarizer.needsNoWork, planarizer.geometry.sampling == .yuv420 else { return nil }
        let (bytes, planes) = (source.assumingMemoryBound(to: UInt8.self), planarizer.layout.planes)
        return YUV420Picture(
            y: bytes + planes[0].offset, cb: bytes + planes[1].offset, cr: bytes + planes[2].offset,
            strides: (planes[0].stride, planes[1].stride, planes[2].stride))
    }

    /// Decodes a camera's JPEG, without a detour through RGB.
    private func decode(_ image: UnsafeRawBufferPointer) -> YUV420Picture? {
        guard let target = planes.baseAddress, let header = decoder.readHeader(image), header.width == format.width,
            (format.height..<format.height + 16).contains(header.height)
        else { return nil }
        let (width, height) = (format.width + format.width % 2, header.height + header.height % 2)
        let geometry = PlanarGeometry(width: width, height: height, sampling: header.sampling)
        return decoder.decode(image, into: target, geometry) ? reduced(target, geometry) : nil
    }

    /// Halves the chroma of planes that have more than 4:2:0, and narrows the range.
    private func reduced(_ y: Rows.Target, _ geometry: PlanarGeometry) -> YUV420Picture {
        let result = PlanarGeometry(width: geometry.width, height: geometry.height, sampling: .yuv420)
        let (cb, cr) = (y + result.lumaBytes, y + result.lumaBytes + result.chromaBytes)
        let strides = (result.width, result.chromaWidth, result.chromaWidth)
        guard geometry.sampling != .grey else {
            narrowGrey(y, geometry)
            let middle = neutral.baseAddress ?? cb
            return YUV420Picture(y: y, cb: middle, cr: middle, strides: strides)
        }
        if geometry.sampling != .yuv420 {
            // Cb first, whose result ends ahead of where Cr begins.
            halve(cb, geometry, into: cb)
            halve(cb + geometry.chromaBytes, geometry, into: cr)
        }
        narrowing?.apply(y, result)
        return YUV420Picture(y: y, cb: cb, cr: cr, strides: strides)
    }

    /// Averages two rows of a chroma plane, and of 4:4:4 two columns, too. Each row is written at or before the place where it was
    /// read.
    private func halve(_ plane: Rows.Target, _ geometry: PlanarGeometry, into target: Rows.Target) {
        let (width, height) = (geometry.chromaWidth, geometry.chromaHeight)
        let halfWidth = (geometry.width + 1) / 2
        for row in 0..<(height + 1) / 2 {
            let first = plane + 2 * row * width
            let second = 2 * row + 1 < height ? first + width : first
            let to = target + row * halfWidth
            if geometry.sampling == .yuv444 {
                Rows.averageBlocks(first, second, into: to, count: width)
            } else {
                Rows.average(first, second, into: to, count: width)
            }
        }
    }

    /// Grey has no chroma to convert with.
    private func narrowGrey(_ y: Rows.Target, _ geometry: PlanarGeometry) {
        guard narrowing != nil else { return }
        Rows.narrowLuma(y, count: geometry.lumaBytes)
    }
}

extension Rows {
    /// Averages blocks of 2 x 2 of two rows; a last column by itself. `target` may be `first`.
    static func averageBlocks(_ first: Source, _ second: Source, into target: Target, count: Int) {
        for index in 0..<count / 2 {
            let (left, right) = (2 &* index, 2 &* index &+ 1)
            let upper = UInt16(first[left]) &+ UInt16(first[right])
            let lower = UInt16(second[left]) &+ UInt16(second[right])
            target[index] = UInt8(truncatingIfNeeded: (upper &+ lower &+ 2) >> 2)
        }
        guard !count.isMultiple(of: 2) else { return }
        average(first + (count - 1), second + (count - 1), into: target + count / 2, count: 1)
    }

    /// Narrows Y of 0…255 to 16…235.
    static func narrowLuma(_ y: Target, count: Int) {
        for index in 0..<count {
            // 220/256 is 219/255.
            y[index] = UInt8(truncatingIfNeeded: 16 &+ (UInt16(y[index]) &* 220 &+ 128) >> 8)
        }
    }
}
