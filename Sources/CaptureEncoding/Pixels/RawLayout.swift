import CaptureBase

/// Layout of a raw frame's planes in a driver's buffer.
package struct RawLayout: Hashable {
    package typealias Plane = PicturePlane

    package let planes: [Plane]

    /// Minimum bytes of the frame; the last row may lack its padding.
    package let byteCount: Int
    /// Bytes of the frame without any padding.
    let packedByteCount: Int

    /// True if the buffer has the layout of a file: no padding, one plane directly after another.
    var isPacked: Bool {
        var end = 0
        for plane in planes {
            guard plane.offset == end, plane.stride == plane.rowBytes else { return false }
            end += plane.rowBytes * plane.rows
        }
        return true
    }

    /// - Returns: `nil` for compressed and unknown formats, and for impossible sizes.
    package init?(_ format: VideoFormat) {
        guard (1...16384).contains(format.width), (1...16384).contains(format.height) else { return nil }
        guard let planes = Self.planes(format) else { return nil }
        guard planes.allSatisfy({ $0.stride >= $0.rowBytes }) else { return nil }
        self.init(planes)
    }

    private init(_ planes: [Plane]) {
        self.planes = planes
        byteCount = planes.map(\.end).max() ?? 0
        packedByteCount = planes.reduce(0) { $0 + $1.rowBytes * $1.rows }
    }

    /// Layout of some rows, in the whole frame's buffer.
    /// - Parameter rows: of the first plane; begin with an even one. Planes of half as many rows have half of them.
    package func part(_ rows: Range<Int>) -> RawLayout {
        RawLayout(
            planes.map { plane in
                let isHalved = plane.rows < planes[0].rows
                let own = isHalved ? rows.lowerBound / 2..<(rows.upperBound + 1) / 2 : rows
                return Plane(
                    offset: plane.start(of: own.lowerBound), stride: plane.stride, rowBytes: plane.rowBytes,
                    rows: own.count)
            })
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
            // V4L2: rows with half as many samples are half as long, padding included.
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

    /// - Parameter stride: bytes per row of a plane in the same memory; the device states that of a plane in separate memory.
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

/// Order of the samples in a raw frame, for the formats that are read without libv4lconvert.
package enum PixelArrangement: Hashable {
    /// Two pixels in four bytes: positions of Y0, Cb and Cr.
    case packed(y: Int, cb: Int, cr: Int)
    /// A plane of Y, then one of alternating Cb and Cr, or Cr and Cb.
    case semiplanar(ChromaSampling, swapped: Bool)
    /// Planes of Y, Cb and Cr, or Y, Cr and Cb.
    case planar(ChromaSampling, swapped: Bool)
    case grey
    /// Grey of 16 bits, which is shifted right by this number of bits to get 8.
    case deepGrey(shift: UInt16, isBigEndian: Bool)
    /// Three bytes per pixel: positions of R and B.
    case rgb(red: Int, blue: Int)

    package init?(_ format: PixelFormat) {
        guard let arrangement = Self.known[format] else { return nil }
        self = arrangement
    }

    private static let known: [PixelFormat: PixelArrangement] = table.reduce(into: [:]) { known, line in
        for code in line.codes.split(separator: " ").compactMap({ PixelFormat(String($0)) }) {
            known[code] = line.arrangement
        }
    }

    /// V4L2's codes. An M in second position means that the planes lie in separate memory.
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

    /// True for red, green and blue.
    var isRGB: Bool { if case .rgb = self { true } else { false } }

    /// True for Y, Cb and Cr.
    var hasChromaPlanes: Bool {
        switch self {
        case .packed, .semiplanar, .planar: true
        case .grey, .deepGrey, .rgb: false
        }
    }

    var sampling: ChromaSampling {
        switch self {
        case .packed: .yuv422
        case .semiplanar(let sampling, _), .planar(let sampling, _): sampling
        case .grey, .deepGrey: .grey
        case .rgb: .yuv444
        }
    }
}

/// A planar frame without padding: Y, then Cb, then Cr.
package struct PlanarGeometry: Hashable {
    package let width: Int
    package let height: Int
    package let sampling: ChromaSampling

    package var lumaBytes: Int { width * height }
    package var chromaWidth: Int {
        switch sampling {
        case .yuv444: width
        case .yuv422, .yuv420: (width + 1) / 2
        case .grey: 0
        }
    }
    package var chromaHeight: Int {
        switch sampling {
        case .yuv444, .yuv422: height
        case .yuv420: (height + 1) / 2
        case .grey: 0
        }
    }
    package var chromaBytes: Int { chromaWidth * chromaHeight }
    package var byteCount: Int { lumaBytes + 2 * chromaBytes }
    /// Bytes with two rows of chroma after the frame, for halving 4:2:2.
    package var byteCountWithScratch: Int { byteCount + 2 * chromaWidth }
}

/// Chroma subsampling of a planar frame.
package enum ChromaSampling: Hashable {
    case yuv444, yuv422, yuv420, grey
}

extension VideoFormat {
    /// Bytes of a frame as the device delivers it; `nil` for compressed formats, whose size is unknown.
    package var rawByteCount: Int? {
        guard !pixelFormat.isCompressed else { return nil }
        // Formats without a layout here, such as Bayer's, still have a known row length.
        return RawLayout(self)?.byteCount ?? max(bytesPerLine, width) * height
    }
}

extension PixelFormat {
    /// Error for a camera's own stream if decoded frames are needed: nothing here decodes it.
    package var cannotBePassed: CaptureError {
        CaptureError(
            .usage,
            "The camera's \(streamTitle) stream can only be stored unchanged, in a .mkv or .mp4 file.",
            remedies: [
                Remedy(
                    "Choose --pixel-format MJPG or YUYV, or record to a name that ends in .mkv or .mp4 without --video-codec."
                )
            ])
    }
}

extension ClipFormat {
    /// True for formats that can store a camera's own H.264 or H.265 unchanged.
    /// - Parameters:
    ///   - format: format of the camera's frames.
    ///   - codec: codec of the clip. H.265 can't be requested by name: it is only used automatically.
    package func passes(_ format: PixelFormat, as codec: VideoCodec) -> Bool {
        switch self {
        case .matroska, .mp4: format.isPredicted && (codec == .automatic || codec == .h264 && format == .h264)
        case .nothing, .raw, .own: format.isPredicted
        case .wav, .flac, .opus: true
        case .y4m, .mjpeg, .webm, .v4l2: false
        }
    }

    /// True if frames of a format can be written as they come, without libv4lconvert.
    package func takes(_ format: VideoFormat, as codec: VideoCodec) -> Bool {
        if format.pixelFormat.isPredicted { return passes(format.pixelFormat, as: codec) }
        return switch self {
        case .nothing, .raw, .wav, .flac, .opus, .own: true
        case .y4m: Planarizer(format, takesRGB: true) != nil
        case .mjpeg, .mp4, .webm, .v4l2: format.pixelFormat.isJPEG || RawLayout(format) != nil
        case .matroska: codec == .raw || format.pixelFormat.isJPEG || RawLayout(format) != nil
        }
    }
}
