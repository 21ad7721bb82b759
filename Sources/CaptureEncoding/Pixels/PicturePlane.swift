import CaptureBase

/// Plane of a raw frame in a driver's buffer: rows of samples, optionally followed by padding.
///
///     let luma = session.format.planes[0]
///     session.withNext { header, frame in
///         for row in 0..<luma.rows { sum += mean(of: frame.extracting(luma.row(row))) }
///     }
///
/// *thread-safe*
public struct PicturePlane: Hashable, Sendable {
    /// Bytes from the frame's start to the first row.
    public let offset: Int
    /// Bytes from the start of a row to that of the next one.
    public let stride: Int
    /// Bytes of a row without padding.
    public let rowBytes: Int
    /// Number of rows. A plane with half the rows of the frame has half its height, rounded up.
    public let rows: Int

    package init(offset: Int, stride: Int, rowBytes: Int, rows: Int) {
        self.offset = offset
        self.stride = stride
        self.rowBytes = rowBytes
        self.rows = rows
    }

    /// Bytes of a row in the frame, for `RawSpan.extracting(_:)`.
    /// - Parameter index: 0 to ``rows`` - 1, from the top.
    public func row(_ index: Int) -> Range<Int> {
        precondition((0..<rows).contains(index), "A plane of \(rows) rows has no row \(index).")
        return start(of: index)..<start(of: index) + rowBytes
    }

    /// Offset of a row from the buffer's start, in bytes.
    package func start(of row: Int) -> Int { offset + row * stride }

    package var end: Int { rows == 0 ? offset : offset + (rows - 1) * stride + rowBytes }
}

extension VideoFormat {
    /// Planes of a frame in this format, as V4L2 describes it: Y, Cb and Cr separately, Y and interleaved chroma, or one
    /// plane of whole pixels. Empty for compressed formats, and for those that only a conversion reads.
    ///
    /// Check a frame's `byteCount` against them: cameras cut frames short now and then.
    public var planes: [PicturePlane] {
        if let layout = RawLayout(self) { return layout.planes }
        guard pixelFormat == .bgra32 || pixelFormat == .rgba32 else { return [] }
        return [PicturePlane(offset: 0, stride: max(bytesPerLine, 4 * width), rowBytes: 4 * width, rows: height)]
    }
}
