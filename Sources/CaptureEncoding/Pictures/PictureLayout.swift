import CaptureGate

/// Where the planes of a raw picture lie in a driver's buffer.
struct RawFrameLayout: Hashable {
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

    /// Whether the picture lies in its buffer as it does in a file: no padding, its planes one behind the other.
    var isPacked: Bool {
        var end = 0
        for plane in planes {
            guard plane.offset == end, plane.stride == plane.rowBytes else { return false }
            end += plane.rowBytes * plane.rows
        }
        return true
    }

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
        guard let arrangement = PixelArrangement(format.pixelFormat) else { return nil }
        let width = format.width
        switch arrangement {
        case .packed: return width.isMultiple(of: 2) ? [first(2 * width, format)] : nil
        case .rgb: return [first(3 * width, format)]
        case .grey: return [first(width, format)]
        case .deepGrey: return [first(2 * width, format)]
        case .semiplanar(let sampling, _):
            let luma = first(width, format)
            let columns = 2 * columns(sampling, width)
            return [
                luma, colour(1, behind: luma, columns, max(luma.stride * columns / width, columns), format, sampling),
            ]
        case .planar(let sampling, _):
            let luma = first(width, format)
            let columns = columns(sampling, width)
            // V4L2: rows of half as many samples are half as long, padding included.
            let stride = max(sampling == .yuv444 ? luma.stride : luma.stride / 2, columns)
            let second = colour(1, behind: luma, columns, stride, format, sampling)
            return [luma, second, colour(2, behind: second, columns, stride, format, sampling)]
        }
    }

    private static func columns(_ sampling: ChromaSampling, _ width: Int) -> Int {
        sampling == .yuv444 ? width : (width + 1) / 2
    }

    private static func first(_ rowBytes: Int, _ format: VideoFormat) -> Plane {
        Plane(
            offset: 0, stride: max(format.bytesPerLine, 0) == 0 ? rowBytes : format.bytesPerLine, rowBytes: rowBytes,
            rows: format.height)
    }

    /// - Parameter stride: of a plane in the same memory; one in its own has what the device says.
    private static func colour(
        _ index: Int, behind: Plane, _ rowBytes: Int, _ stride: Int, _ format: VideoFormat, _ sampling: ChromaSampling
    ) -> Plane {
        let isApart = index < format.planeBytesPerLine.count
        return Plane(
            offset: behind.offset + behind.stride * behind.rows,
            stride: isApart ? format.planeBytesPerLine[index] : stride, rowBytes: rowBytes,
            rows: sampling == .yuv420 ? (format.height + 1) / 2 : format.height)
    }
}
