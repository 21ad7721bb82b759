import CMedia
import CaptureRealtime

/// Puts the planes of a picture that the driver keeps apart one after the other, and converts what few programs know, on
/// the reader's thread.
///
/// *session-bound*
// Sendable by hand because of its memory: the session that has it is read by one thread at a time.
final class PictureAdapter: @unchecked Sendable {
    let source: VideoFormat
    private let planes: [Plane]
    private let gathered: UnsafeMutableRawBufferPointer
    private let converter: PictureConverter?

    /// Whole rows of a plane; `nil` where the format's planes are not known, which are then copied as they come.
    private struct Plane {
        let offset: Int
        let byteCount: Int
    }

    /// - Returns: `nil` where the driver's own buffer will do.
    convenience init?(gathering format: VideoFormat) {
        guard format.planeBytesPerLine.count > 1 else { return nil }
        self.init(format, nil)
    }

    init(_ source: VideoFormat, _ converter: PictureConverter?) {
        self.source = source
        self.converter = converter
        var planes: [Plane] = []
        for (index, bytesPerLine) in source.planeBytesPerLine.enumerated() {
            let rows = source.pixelFormat.rows(ofPlane: index, height: source.height)
            let before = planes.last.map { $0.offset + $0.byteCount } ?? 0
            planes.append(Plane(offset: before, byteCount: bytesPerLine * rows))
        }
        self.planes = planes
        let total = planes.last.map { $0.offset + $0.byteCount } ?? 0
        gathered = .allocate(byteCount: planes.count > 1 ? total : 0, alignment: 64)
    }

    deinit { gathered.deallocate() }

    func adapt<Value, Failure: Error>(
        _ header: FrameHeader, _ first: RawSpan, _ second: RawSpan, _ third: RawSpan,
        _ body: (FrameHeader, RawSpan) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        guard planes.count > 1 else { return try convert(header, first, body) }
        guard gather(first, 0), gather(second, 1), planes.count == 2 || gather(third, 2) else {
            return try hand(header, UnsafeRawBufferPointer(start: nil, count: 0), body)
        }
        return try convert(header, gathered.bytes, body)
    }

    private func convert<Value, Failure: Error>(
        _ header: FrameHeader, _ picture: RawSpan, _ body: (FrameHeader, RawSpan) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        guard let converter else { return try hand(header, UnsafeRawBufferPointer(gathered), body) }
        return try hand(header, converter.convert(picture), body)
    }

    private func hand<Value, Failure: Error>(
        _ header: FrameHeader, _ picture: UnsafeRawBufferPointer,
        _ body: (FrameHeader, RawSpan) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        var header = header
        header.byteCount = picture.count
        return try body(header, picture.bytes)
    }

    /// - Returns: false for a plane that is not whole.
    private func gather(_ span: RawSpan, _ index: Int) -> Bool {
        let plane = planes[index]
        guard span.byteCount >= plane.byteCount, let target = gathered.baseAddress else { return false }
        span.withUnsafeBytes { bytes in
            guard let source = bytes.baseAddress else { return }
            (target + plane.offset).copyMemory(from: source, byteCount: plane.byteCount)
        }
        return true
    }
}

extension PixelFormat {
    /// Rows of a plane of memory: the colour of 4:2:0 has half as many.
    fileprivate func rows(ofPlane index: Int, height: Int) -> Int {
        index > 0 && Self.halvingColour.contains(self) ? (height + 1) / 2 : height
    }

    private static let halvingColour: Set<PixelFormat> = Set(
        ["NM12", "NM21", "YM12", "YM21"].compactMap { PixelFormat($0) })
}

extension CaptureSession where Reader == VideoRing.Consumer, Format == VideoFormat {
    /// Has pictures of a format that few programs know converted on the reader's side, from now on: to R, G and B, or to
    /// eight bits of the Y, Cb and Cr that they have.
    ///
    /// ``format`` and ``differences`` say so afterwards. Call it before ``start()``. Formats that are not unpacked here are
    /// converted by `v4lconvert_convert`.
    ///
    /// - Returns: false for a format that nobody knows; nothing has changed then.
    /// - Throws: `.unavailable` where there is too little memory for it.
    public mutating func convertPictures() throws(CaptureError) -> Bool {
        guard PictureConverter.converts(format) else { return false }
        guard let converter = PictureConverter(format) else {
            throw DeviceFault(device: device).error("v4lconvert_create_with_dev_ops", ENOMEM)
        }
        pictures = PictureAdapter(format, converter)
        differences.append(
            "pictures come as \(format.pixelFormat) and are converted to \(converter.target.pixelFormat)")
        format = converter.target
        return true
    }
}
