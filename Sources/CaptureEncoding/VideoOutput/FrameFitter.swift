import CaptureBase

/// Conversion of a camera's frames to the format and the layout of an output.
///
/// Frames in the output's own format and layout are passed on unchanged; those in another layout are copied once, row by row.
/// Formats that the output does not support become 4:2:0 of limited range, or JPEG.
///
/// *session-bound*
final class FrameFitter {
    /// Way in which a frame gets into the output's buffer.
    private enum Means {
        /// Its bytes are what the output wants.
        case same
        case rows(from: RawLayout, to: RawLayout)
        case planes(YUV420Converter, PlaneStore)
        case image(MJPEGEncoder)
    }

    private let means: Means
    /// Minimum bytes of a complete frame of the camera; 1 for compressed ones.
    private let leastBytes: Int
    private var packets = PacketBuffer()

    /// - Parameters:
    ///   - source: format of the camera's frames.
    ///   - target: the output's own, in a pixel format that ``choice(for:among:)`` has chosen.
    /// - Throws: `.notAsAsked` for a layout of the output's that no frame can be brought into.
    init(from source: VideoFormat, to target: VideoFormat) throws(CaptureError) {
        leastBytes = source.rawByteCount ?? 1
        if Self.isSame(source.pixelFormat, target.pixelFormat) {
            means = try Self.copying(from: source, to: target)
        } else if target.pixelFormat.isJPEG {
            let encoder = MJPEGEncoder(format: source)
            try encoder.begin()
            means = .image(encoder)
        } else if let converter = YUV420Converter(source, isLimited: true), let store = PlaneStore(target) {
            means = .planes(converter, store)
        } else {
            throw Self.noWay(source, target)
        }
    }

    private static func copying(from source: VideoFormat, to target: VideoFormat) throws(CaptureError) -> Means {
        if target.pixelFormat.isJPEG { return .same }
        guard let from = RawLayout(source), let to = RawLayout(target) else {
            // A layout that is not known here can be passed on, and not be changed.
            guard source.bytesPerLine == target.bytesPerLine else { throw noWay(source, target) }
            return .same
        }
        return from == to ? .same : .rows(from: from, to: to)
    }

    private static func noWay(_ source: VideoFormat, _ target: VideoFormat) -> CaptureError {
        CaptureError(
            .notAsAsked,
            "The output needs rows of \(target.bytesPerLine) bytes of \(target.pixelFormat), but the camera has "
                + "\(source.bytesPerLine) of \(source.pixelFormat). This can't be converted.",
            remedies: [Remedy("Choose another pixel format, such as YUYV or MJPG.")])
    }

    /// True for frames that need no conversion, and no copy but the output's own.
    var passes: Bool { if case .same = means { true } else { false } }

    /// Tells that a frame is complete.
    func isWhole(_ data: RawSpan) -> Bool { data.byteCount >= leastBytes }

    /// Brings a frame into the output's buffer.
    /// - Parameters:
    ///   - data: one buffer of the camera.
    ///   - target: the output's buffer.
    /// - Returns: bytes that it has now; 0 for a frame that is short or broken.
    func fit(_ data: RawSpan, into target: UnsafeMutableRawBufferPointer) throws(CaptureError) -> Int {
        guard isWhole(data), let room = target.baseAddress else { return 0 }
        switch means {
        case .same: return data.withUnsafeBytes { Self.copy($0, target) }
        case .rows(let from, let to):
            guard target.count >= to.byteCount else { return 0 }
            data.withUnsafeBytes { if let start = $0.baseAddress { from.copy(start, to, room) } }
            return to.byteCount
        case .planes(let converter, let store):
            guard target.count >= store.layout.byteCount, let picture = try converter.picture(of: data) else {
                return 0
            }
            store.store(picture, room)
            return store.layout.byteCount
        case .image(let encoder):
            packets.removeAll()
            try encoder.encode(data, at: 0, into: &packets)
            guard packets.count > 0 else { return 0 }
            return packets.withBytes(of: 0) { Self.copy($0, target) }
        }
    }

    private static func copy(_ bytes: UnsafeRawBufferPointer, _ target: UnsafeMutableRawBufferPointer) -> Int {
        guard bytes.count <= target.count, let from = bytes.baseAddress else { return 0 }
        target.baseAddress?.copyMemory(from: from, byteCount: bytes.count)
        return bytes.count
    }

    /// Ends the threads of an encoder.
    func end() {
        if case .image(let encoder) = means { encoder.finish(into: &packets) }
    }
}

extension FrameFitter {
    /// Pixel format in which an output gets a camera's frames: the camera's own if possible, otherwise one that costs little.
    /// - Parameters:
    ///   - format: format of the camera's frames.
    ///   - offered: formats that the output supports.
    /// - Returns: `nil` if the frames can't be converted to any of them.
    static func choice(for format: VideoFormat, among offered: [PixelFormat]) -> PixelFormat? {
        let own = format.pixelFormat
        if format.planeBytesPerLine.count == 1, offered.contains(own) { return own }
        if let same = offered.first(where: { isSame(own, $0) }) { return same }
        let isKnown = own.isJPEG || Planarizer(format, takesRGB: true) != nil
        let planes = PlaneStore.codes.first { code in
            offered.contains(code) && PlaneStore(format.packed(as: code)) != nil
        }
        if isKnown, let planes { return planes }
        let isRaw = !own.isJPEG && RawLayout(format) != nil
        return isRaw ? offered.first(where: \.isJPEG) : nil
    }

    /// True for two names of the same bytes: those of planes in one memory and apart, and those of JPEG.
    static func isSame(_ own: PixelFormat, _ other: PixelFormat) -> Bool {
        if own == other || own.isJPEG && other.isJPEG { return true }
        guard let arrangement = PixelArrangement(own) else { return false }
        return PixelArrangement(other) == arrangement
    }
}

extension VideoFormat {
    /// The same frames in another pixel format, without unknown padding.
    func packed(as pixelFormat: PixelFormat, _ colorimetry: Colorimetry? = nil) -> VideoFormat {
        laidOut(
            as: pixelFormat, bytesPerLine: pixelFormat == self.pixelFormat ? bytesPerLine : 0,
            colorimetry ?? self.colorimetry)
    }
}

extension RawLayout {
    /// Copies all rows of a frame into another layout of the same format.
    func copy(_ source: UnsafeRawPointer, _ other: RawLayout, _ target: UnsafeMutableRawPointer) {
        for index in 0..<planes.count {
            let (from, to) = (planes[index], other.planes[index])
            for row in 0..<from.rows {
                (target + to.start(of: row)).copyMemory(from: source + from.start(of: row), byteCount: from.rowBytes)
            }
        }
    }
}

/// Storage of planes of 4:2:0 in the layout of an output: as planes, with Cb and Cr in turn, or packed.
struct PlaneStore {
    let layout: RawLayout
    private let arrangement: PixelArrangement
    private let width: Int

    /// Formats that it knows, those without a loss and a further pass first.
    static let codes: [PixelFormat] = ["YU12", "YV12", "NV12", "NV21", "YUYV", "UYVY", "YVYU", "VYUY"].compactMap {
        PixelFormat($0)
    }

    /// - Parameter format: of the output.
    /// - Returns: `nil` for a format or a size that it does not know.
    init?(_ format: VideoFormat) {
        guard Self.codes.contains(format.pixelFormat), let layout = RawLayout(format),
            let arrangement = PixelArrangement(format.pixelFormat)
        else { return nil }
        self.layout = layout
        self.arrangement = arrangement
        width = format.width
    }

    /// - Parameters:
    ///   - picture: planes of 4:2:0 of the same size.
    ///   - target: `layout.byteCount` bytes.
    func store(_ picture: YUV420Picture, _ target: UnsafeMutableRawPointer) {
        if case .packed(let y, let cb, let cr) = arrangement {
            return pack(picture, target, PackedOrder(y: y, cb: cb, cr: cr))
        }
        copy(picture.y, picture.strides.0, target, layout.planes[0])
        switch arrangement {
        case .planar(_, let swapped):
            copy(swapped ? picture.cr : picture.cb, picture.strides.1, target, layout.planes[1])
            copy(swapped ? picture.cb : picture.cr, picture.strides.2, target, layout.planes[2])
        case .semiplanar(_, let swapped): interleave(picture, target, layout.planes[1], swapped)
        case .packed, .grey, .deepGrey, .rgb: break
        }
    }

    private func copy(
        _ source: UnsafePointer<UInt8>, _ stride: Int, _ target: UnsafeMutableRawPointer, _ plane: RawLayout.Plane
    ) {
        for row in 0..<plane.rows {
            (target + plane.start(of: row)).copyMemory(from: source + row * stride, byteCount: plane.rowBytes)
        }
    }

    private func interleave(
        _ picture: YUV420Picture, _ target: UnsafeMutableRawPointer, _ plane: RawLayout.Plane, _ swapped: Bool
    ) {
        for row in 0..<plane.rows {
            let (cb, cr) = (picture.cb + row * picture.strides.1, picture.cr + row * picture.strides.2)
            let to = (target + plane.start(of: row)).assumingMemoryBound(to: UInt8.self)
            for index in 0..<plane.rowBytes / 2 {
                to[2 &* index] = swapped ? cr[index] : cb[index]
                to[2 &* index &+ 1] = swapped ? cb[index] : cr[index]
            }
        }
    }

    /// Makes packed 4:2:2: two rows share their chroma.
    private func pack(_ picture: YUV420Picture, _ target: UnsafeMutableRawPointer, _ order: PackedOrder) {
        let plane = layout.planes[0]
        for row in 0..<plane.rows {
            let y = picture.y + row * picture.strides.0
            let (cb, cr) = (picture.cb + row / 2 * picture.strides.1, picture.cr + row / 2 * picture.strides.2)
            let to = (target + plane.start(of: row)).assumingMemoryBound(to: UInt8.self)
            for index in 0..<width / 2 {
                let pair = to + 4 &* index
                pair[order.y] = y[2 &* index]
                pair[order.y &+ 2] = y[2 &* index &+ 1]
                pair[order.cb] = cb[index]
                pair[order.cr] = cr[index]
            }
        }
    }
}
