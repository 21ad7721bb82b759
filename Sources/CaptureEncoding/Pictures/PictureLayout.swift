import CaptureGate

/// Where the planes of a raw picture lie in a driver's buffer.
struct PictureLayout: Hashable {
    struct Plane: Hashable {
        /// From the buffer's start, bytes.
        let offset: Int
        /// From row to row, bytes.
        let stride: Int
        /// Bytes of a row that carry picture.
        let rowBytes: Int
        let rows: Int

        var end: Int { rows == 0 ? offset : offset + (rows - 1) * stride + rowBytes }
    }

    let planes: [Plane]

    /// The fewest bytes that hold the picture; the last row may lack its padding.
    let byteCount: Int
    /// Bytes of picture without any padding.
    let packedByteCount: Int

    /// - Returns: `nil` for compressed and unknown formats, and for impossible sizes.
    init?(_ format: VideoFormat) {
        guard (1...16384).contains(format.width), (1...16384).contains(format.height) else { return nil }
        guard let planes = Self.planes(format) else { return nil }
        guard planes.allSatisfy({ $0.stride >= $0.rowBytes }) else { return nil }
        self.planes = planes
        byteCount = planes.map(\.end).max() ?? 0
        packedByteCount = planes.reduce(0) { $0 + $1.rowBytes * $1.rows }
    }

    private static func planes(_ format: VideoFormat) -> [Plane]? {
        let (width, height) = (format.width, format.height)
        let (halfWidth, halfHeight) = ((width + 1) / 2, (height + 1) / 2)
        func packed(_ rowBytes: Int) -> Plane {
            Plane(
                offset: 0, stride: max(format.bytesPerLine, 0) == 0 ? rowBytes : format.bytesPerLine,
                rowBytes: rowBytes, rows: height)
        }
        let luma = packed(width)
        switch format.pixelFormat {
        case .yuyv, .uyvy: return width.isMultiple(of: 2) ? [packed(2 * width)] : nil
        case .rgb24, .bgr24: return [packed(3 * width)]
        case .grey: return [luma]
        case .nv12:
            let stride = max(luma.stride, 2 * halfWidth)
            return [
                luma, Plane(offset: luma.stride * height, stride: stride, rowBytes: 2 * halfWidth, rows: halfHeight),
            ]
        case .yuv420:
            // V4L2: two rows of chroma, padding included, are as long as one of luma.
            let stride = max(luma.stride / 2, halfWidth)
            let first = Plane(offset: luma.stride * height, stride: stride, rowBytes: halfWidth, rows: halfHeight)
            let second = Plane(
                offset: first.offset + stride * halfHeight, stride: stride, rowBytes: halfWidth, rows: halfHeight)
            return [luma, first, second]
        default: return nil
        }
    }
}
