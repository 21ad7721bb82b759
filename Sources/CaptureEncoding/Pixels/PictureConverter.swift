import CaptureBase

/// Converter of a camera's frames to pixels for a screen, a texture or an analysis.
///
/// Takes every raw format that stills are made of, and MJPEG. The matrix and the range of the camera are regarded: white is 255 in
/// each of R, G and B, and in grey. It allocates its memory once.
///
/// *session-bound*
// Unchecked: its owner uses its memory on one thread at a time.
public final class PictureConverter: @unchecked Sendable {
    /// Format of the camera's frames.
    public let source: VideoFormat
    /// Format of the pixels: rows without padding.
    public let target: VideoFormat

    private let reader: Reader
    /// Pixels of four bytes.
    private let output: UnsafeMutableBufferPointer<UInt8>

    private enum Reader {
        case jpeg(JPEGPixels)
        /// Y of the frame, in memory for all its planes, and whether that has a limited range.
        case luma(Planarizer, UnsafeMutableBufferPointer<UInt8>, isLimited: Bool)
        case pixels(StillPixels)
    }

    /// Formats that it makes.
    public static let formats: [PixelFormat] = [.bgra32, .rgba32, .rgb24, .grey]

    /// - Parameters:
    ///   - source: format of the camera's frames.
    ///   - format: `.bgra32` or `.rgba32` with an opaque alpha, `.rgb24`, or `.grey`.
    /// - Throws: `.usage` for another format, and for frames that can't be converted to an image, such as a camera's own H.264.
    public init(_ source: VideoFormat, to format: PixelFormat) throws(CaptureError) {
        guard let layout = JPEGPixels.Layout(format) else {
            throw CaptureError(
                .usage, "Frames can't be converted to \(format).",
                remedies: [Remedy("Choose one of \(Self.formats.map(\.description).joined(separator: ", ")).")])
        }
        try StillEncoder.check(source)
        self.source = source
        let colorimetry = Colorimetry(usualOf: format)
        target = source.laidOut(as: format, bytesPerLine: layout.byteCount * source.width, colorimetry)
        reader = Self.reader(source, layout)
        var isAsRead = true
        if case .pixels(let pixels) = reader { isAsRead = layout == .rgb && pixels.kind == .rgb }
        output = .allocate(capacity: isAsRead ? 0 : layout.byteCount * source.width * source.height)
        output.initialize(repeating: 255)
    }

    deinit {
        output.deallocate()
        if case .luma(_, let planes, _) = reader { planes.deallocate() }
    }

    private static func reader(_ source: VideoFormat, _ layout: JPEGPixels.Layout) -> Reader {
        if source.pixelFormat.isJPEG { return .jpeg(JPEGPixels(source, as: layout)) }
        guard layout == .grey, let planarizer = Planarizer(source, to: .jpeg, takesRGB: true) else {
            return .pixels(StillPixels(source, range: .asSource, keepsDepth: false))
        }
        let planes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: planarizer.geometry.byteCountWithScratch)
        planes.initialize(repeating: 0)
        // The planarizer makes a limited range of RGB, and the full one of JFIF of everything else.
        return .luma(planarizer, planes, isLimited: planarizer.arrangement.isRGB)
    }

    /// Lends the pixels of a frame.
    /// - Parameters:
    ///   - frame: one driver buffer.
    ///   - body: gets the pixels in the format ``target``, valid inside the call alone.
    /// - Returns: the result of `body`; `nil` for a frame that is broken or cut short.
    public func withPixels<Value, Failure: Error>(
        of frame: RawSpan, _ body: (RawSpan) throws(Failure) -> Value
    ) throws(Failure) -> Value? {
        let pixels = convert(frame)
        return pixels.isEmpty ? nil : try body(pixels.bytes)
    }

    /// Converts a frame.
    /// - Returns: pixels that are valid until the next call; none for a frame that is broken or cut short.
    package func convert(_ frame: RawSpan) -> UnsafeRawBufferPointer {
        switch reader {
        case .jpeg(let jpeg): UnsafeRawBufferPointer(jpeg.decode(frame) ?? UnsafeBufferPointer(start: nil, count: 0))
        case .luma(let planarizer, let planes, let isLimited):
            frame.withUnsafeBytes { luma(of: $0, planarizer, planes, isLimited) }
        case .pixels(let pixels): pixels.read(frame) ? arranged(pixels) : UnsafeRawBufferPointer(start: nil, count: 0)
        }
    }

    private func luma(
        of frame: UnsafeRawBufferPointer, _ planarizer: Planarizer, _ planes: UnsafeMutableBufferPointer<UInt8>,
        _ isLimited: Bool
    ) -> UnsafeRawBufferPointer {
        guard let from = frame.baseAddress, let to = planes.baseAddress, frame.count >= planarizer.layout.byteCount
        else {
            return UnsafeRawBufferPointer(start: nil, count: 0)
        }
        planarizer.convert(from, into: to)
        let count = planarizer.geometry.lumaBytes
        if isLimited { Rows.expandLuma(to, into: to, count: count) }
        return UnsafeRawBufferPointer(start: to, count: count)
    }

    /// Puts the bytes of each pixel into the order of the target.
    private func arranged(_ pixels: StillPixels) -> UnsafeRawBufferPointer {
        let count = source.width * source.height
        guard output.count > 0, let to = output.baseAddress else {
            return UnsafeRawBufferPointer(start: pixels.start, count: 3 * count)
        }
        switch (target.pixelFormat, pixels.kind) {
        case (.rgb24, _): Rows.spread(pixels.start, into: to, count: count, channels: 3)
        case (_, .grey), (_, .deepGrey): Rows.spread(pixels.start, into: to, count: count, channels: 4)
        case (.bgra32, .rgb): Rows.widen(pixels.start, into: to, count: count, red: 2)
        case (_, .rgb): Rows.widen(pixels.start, into: to, count: count, red: 0)
        }
        return UnsafeRawBufferPointer(start: to, count: output.count)
    }
}

extension JPEGPixels.Layout {
    /// - Returns: `nil` for other formats.
    fileprivate init?(_ format: PixelFormat) {
        switch format {
        case .bgra32: self = .bgra
        case .rgba32: self = .rgba
        case .rgb24: self = .rgb
        case .grey: self = .grey
        default: return nil
        }
    }
}

extension Rows {
    /// Makes R, G and B of four bytes each; alpha stays as it is.
    /// - Parameter red: place of R in a pixel of the target, 0 or 2; B is at the other.
    fileprivate static func widen(_ source: Source, into target: Target, count: Int, red: Int) {
        let blue = 2 &- red
        for pixel in 0..<count {
            target[4 &* pixel &+ red] = source[3 &* pixel]
            target[4 &* pixel &+ 1] = source[3 &* pixel &+ 1]
            target[4 &* pixel &+ blue] = source[3 &* pixel &+ 2]
        }
    }

    /// Makes R, G and B of grey; alpha stays as it is.
    fileprivate static func spread(_ source: Source, into target: Target, count: Int, channels: Int) {
        for pixel in 0..<count {
            for colour in 0..<3 { target[channels &* pixel &+ colour] = source[pixel] }
        }
    }
}
