import CaptureGate

/// Planes of a raw frame in a driver's buffer.
struct RawLayout: Hashable {
    /// One plane; offsets and sizes in bytes.
    struct Plane: Hashable {
        /// Offset in the buffer.
        let offset: Int
        /// Distance from row to row.
        let stride: Int
        /// Image bytes of a row, without padding.
        let rowBytes: Int
        let rows: Int

        /// Behind the last row's image; its padding need not be there.
        var end: Int { rows == 0 ? offset : offset + (rows - 1) * stride + rowBytes }
    }

    /// In the order of the buffer.
    let planes: [Plane]

    /// Fewest bytes that hold the frame; the last row may lack its padding.
    let byteCount: Int
    /// Bytes of the frame without any padding.
    let packedByteCount: Int

    /// The frame lies in its buffer as in a file: no padding, planes one behind the other.
    var isPacked: Bool {
        var end = 0
        for plane in planes {
            guard plane.offset == end, plane.stride == plane.rowBytes else { return false }
            end += plane.rowBytes * plane.rows
        }
        return true
    }

    /// Computes the layout.
    /// - Returns: `nil` for compressed and unknown formats, and impossible sizes.
    init?(_ format: VideoFormat) {
        // Beyond what any camera delivers, and far from overflow.
        guard (1...16384).contains(format.width), (1...16384).contains(format.height) else { return nil }
        guard let planes = Self.planes(format) else { return nil }
        guard planes.allSatisfy({ $0.stride >= $0.rowBytes }) else { return nil }
        self.planes = planes
        byteCount = planes.map(\.end).max() ?? 0
        packedByteCount = planes.reduce(0) { $0 + $1.rowBytes * $1.rows }
    }

    /// Planes by arrangement; packed 4:2:2 needs an even width.
    private static func planes(_ format: VideoFormat) -> [Plane]? {
        guard let arrangement = PixelArrangement(format.pixelFormat) else { return nil }
        let width = format.width
        switch arrangement {
        case .packed: return width.isMultiple(of: 2) ? [first(2 * width, format)] : nil
        case .rgb: return [first(3 * width, format)]
        case .grey: return [first(width, format)]
        case .deepGrey: return [first(2 * width, format)]
        // Chroma is interleaved, so its rows are as long as luma's for 4:2:0 and 4:2:2, and twice as long for 4:4:4.
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

    /// Chroma columns; an odd width has one for its last pixel.
    private static func columns(_ sampling: ChromaSampling, _ width: Int) -> Int {
        sampling == .yuv444 ? width : (width + 1) / 2
    }

    /// First plane; drivers may leave bytesperline at 0.
    private static func first(_ rowBytes: Int, _ format: VideoFormat) -> Plane {
        Plane(
            offset: 0, stride: max(format.bytesPerLine, 0) == 0 ? rowBytes : format.bytesPerLine, rowBytes: rowBytes,
            rows: format.height)
    }

    /// Chroma plane. `stride` is that of a plane in the same memory; a plane in memory of its own
    /// (V4L2's multi-planar formats) has the device's.
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

/// Arrangement of a raw frame's samples, for the pixel formats that are read without libv4lconvert.
enum PixelArrangement: Hashable {
    /// Two pixels in four bytes; the values are the offsets of Y0, Cb and Cr, and Y1 is two behind
    /// Y0.
    case packed(y: Int, cb: Int, cr: Int)
    /// A plane of Y, then one of Cb and Cr in turn; of Cr and Cb if swapped.
    case semiplanar(ChromaSampling, swapped: Bool)
    /// Planes of Y, Cb and Cr; of Y, Cr and Cb if swapped.
    case planar(ChromaSampling, swapped: Bool)
    case grey
    /// 16-bit grey; `shift` to the right leaves its upper 8 bits.
    case deepGrey(shift: UInt16, isBigEndian: Bool)
    /// Three bytes per pixel; the values are the offsets of R and B.
    case rgb(red: Int, blue: Int)

    /// - Returns: `nil` for formats that libv4lconvert must convert first.
    init?(_ format: PixelFormat) {
        guard let arrangement = Self.known[format] else { return nil }
        self = arrangement
    }

    /// The table by pixel format.
    private static let known: [PixelFormat: PixelArrangement] = table.reduce(into: [:]) { known, line in
        for code in line.codes.split(separator: " ").compactMap({ PixelFormat(String($0)) }) {
            known[code] = line.arrangement
        }
    }

    /// V4L2's codes. An M in second place marks planes in separate memory.
    private static let table: [(codes: String, arrangement: PixelArrangement)] = [
        ("YUYV", .packed(y: 0, cb: 1, cr: 3)), ("YVYU", .packed(y: 0, cb: 3, cr: 1)),
        ("UYVY", .packed(y: 1, cb: 0, cr: 2)), ("VYUY", .packed(y: 1, cb: 2, cr: 0)),
        ("NV12 NM12", .semiplanar(.yuv420, swapped: false)), ("NV21 NM21", .semiplanar(.yuv420, swapped: true)),
        ("NV16 NM16", .semiplanar(.yuv422, swapped: false)), ("NV61 NM61", .semiplanar(.yuv422, swapped: true)),
        ("NV24", .semiplanar(.yuv444, swapped: false)), ("NV42", .semiplanar(.yuv444, swapped: true)),
        ("YU12 YM12", .planar(.yuv420, swapped: false)), ("YV12 YM21", .planar(.yuv420, swapped: true)),
        ("422P YM16", .planar(.yuv422, swapped: false)), ("YM61", .planar(.yuv422, swapped: true)),
        ("YM24", .planar(.yuv444, swapped: false)), ("YM42", .planar(.yuv444, swapped: true)),
        ("GREY", .grey), ("Y10", .deepGrey(shift: 2, isBigEndian: false)),
        ("Y12", .deepGrey(shift: 4, isBigEndian: false)), ("Y16", .deepGrey(shift: 8, isBigEndian: false)),
        ("Y16-BE", .deepGrey(shift: 8, isBigEndian: true)),
        ("RGB3", .rgb(red: 0, blue: 2)), ("BGR3", .rgb(red: 2, blue: 0)),
    ]

    /// YCbCr: colorimetry and range apply.
    var hasChromaPlanes: Bool {
        switch self {
        case .packed, .semiplanar, .planar: true
        case .grey, .deepGrey, .rgb: false
        }
    }

    /// Sampling of the planes that the format becomes.
    var sampling: ChromaSampling {
        switch self {
        case .packed: .yuv422
        case .semiplanar(let sampling, _), .planar(let sampling, _): sampling
        case .grey, .deepGrey: .grey
        case .rgb: .yuv444
        }
    }
}

/// Sizes of a planar frame without padding: Y, then Cb, then Cr.
struct PlanarGeometry: Hashable {
    let width: Int
    let height: Int
    let sampling: ChromaSampling

    /// Bytes of Y.
    var lumaBytes: Int { width * height }
    /// Chroma columns; an odd width has one for its last pixel.
    var chromaWidth: Int {
        switch sampling {
        case .yuv444: width
        case .yuv422, .yuv420: (width + 1) / 2
        case .grey: 0
        }
    }
    /// Chroma rows; an odd height has one for its last row.
    var chromaHeight: Int {
        switch sampling {
        case .yuv444, .yuv422: height
        case .yuv420: (height + 1) / 2
        case .grey: 0
        }
    }
    /// Bytes of Cb, and of Cr.
    var chromaBytes: Int { chromaWidth * chromaHeight }
    /// Bytes of all planes.
    var byteCount: Int { lumaBytes + 2 * chromaBytes }
    /// All planes, and two rows of chroma behind them, which halving 4:2:2 to 4:2:0 needs.
    var byteCountWithScratch: Int { byteCount + 2 * chromaWidth }
}

/// Chroma sampling of planar frames; `grey` has no chroma.
enum ChromaSampling: Hashable {
    case yuv444, yuv422, yuv420, grey
}

extension VideoFormat {
    /// Bytes of a frame as the device delivers it; `nil` for compressed formats, whose frames
    /// differ.
    var rawByteCount: Int? {
        guard !pixelFormat.isCompressed else { return nil }
        // Formats without a layout here, such as Bayer's, have at least known rows.
        return RawLayout(self)?.byteCount ?? max(bytesPerLine, width) * height
    }
}

extension ClipFormat {
    /// Tells that the clip's encoders read a camera's frames as they are; libv4lconvert must
    /// convert all others.
    func takes(_ format: VideoFormat, as codec: VideoCodec) -> Bool {
        switch self {
        case .nothing, .raw, .wav, .flac, .opus: true
        case .y4m: Planarizer(format, takesRGB: true) != nil
        case .mjpeg: format.pixelFormat.isCompressed || RawLayout(format) != nil
        case .matroska: codec == .raw || format.pixelFormat.isCompressed || RawLayout(format) != nil
        }
    }
}

extension OpenDevice {
    /// Converts a camera's frames if the clip can't hold them. If they can't be converted either,
    /// the writer's error says so.
    func adapt(to format: ClipFormat, _ codec: VideoCodec) throws(CaptureError) {
        guard case .camera(let box) = self, var session = box.take() else { return }
        let result: Result<Void, CaptureError>
        do throws(CaptureError) {
            if !format.takes(session.format, as: codec) { _ = try session.convertFrames() }
            result = .success(())
        } catch {
            result = .failure(error)
        }
        box.put(session)
        try result.get()
    }
}
