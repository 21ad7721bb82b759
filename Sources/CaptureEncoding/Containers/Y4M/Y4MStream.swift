import CaptureBase

/// YUV4MPEG2, raw planes after a text header: yuv4mpeg(5) of mjpegtools.
///
/// Packed 4:2:2 becomes planar without changing a sample. 4:2:0 is tagged `420jpeg`: chroma in the middle of four pixels, as in
/// V4L2. Grey of more than 8 bits keeps its upper 8. RGB becomes 4:4:4 of limited range by BT.601. The format can state the range
/// but not the matrix, and readers assume BT.601. So Y, Cb and Cr of any other matrix are converted, and the range is kept.
///
/// *session-bound*
final class Y4MStream: ClipStream {
    let head: [UInt8]
    private(set) var counts = EncoderCounts()
    private let planarizer: Planarizer
    /// Nanoseconds per frame.
    private let duration: Int64

    /// Header of each frame, without parameters.
    private static let frameLine = Array("FRAME\n".utf8)

    init(_ track: ClipTrack) throws(CaptureError) {
        // Compressed formats have no planes to store.
        guard let format = track.video, let planarizer = Planarizer(format, to: .y4m, takesRGB: true) else {
            throw Self.cannotHold(track)
        }
        self.planarizer = planarizer
        duration = format.frameRate.frameNanoseconds
        head = Array(Self.headLine(format, planarizer.geometry.sampling).utf8)
    }

    /// Parameters of the stream; `Ip`, `It` and `Ib` are the field order.
    private static func headLine(_ format: VideoFormat, _ sampling: ChromaSampling) -> String {
        // The nominal rate, as a fraction: the format has no timestamps.
        let rate = "F\(format.frameRate.numerator):\(format.frameRate.denominator)"
        // 0:0 is an unknown pixel aspect: most cameras have square pixels, but V4L2 need not say so.
        let aspect = format.pixelAspect?.description ?? "0:0"
        let shape = "W\(format.width) H\(format.height) \(rate) \(format.fieldOrder.y4mTag) A\(aspect)"
        return "YUV4MPEG2 \(shape) \(sampling.y4mTag) XCOLORRANGE=\(range(format))\n"
    }

    /// XCOLORRANGE, an extension that ffmpeg and its relatives read. RGB becomes limited range.
    private static func range(_ format: VideoFormat) -> String {
        let colorimetry = format.colorimetry
        return colorimetry.matrix == .rgb || colorimetry.range == .limited ? "LIMITED" : "FULL"
    }

    private static func cannotHold(_ track: ClipTrack) -> CaptureError {
        let format = track.video.map { "\($0.width)x\($0.height) \($0.pixelFormat)" } ?? "audio"
        return CaptureError(
            .usage, "Y4M can't contain \(format).",
            remedies: [
                Remedy("Choose --pixel-format YUYV, NV12, YU12, RGB3 or GREY, or record to a name that ends in .mkv.")
            ])
    }

    /// Encodes one driver buffer as one frame.
    func encode(_ data: RawSpan, at nanoseconds: Int64, into packets: inout PacketBuffer) throws(CaptureError) {
        // A short frame would leave stale memory at its end.
        guard data.byteCount >= planarizer.layout.byteCount else {
            counts.skipped += 1
            return
        }
        let size = Self.frameLine.count + planarizer.geometry.byteCount
        try data.withUnsafeBytes { (data) throws(CaptureError) in
            try packets.append(capacity: size, at: nanoseconds, lasting: duration) { room in
                fill(room, from: data)
                return size
            }
        }
        counts.frames += 1
        counts.packets += 1
        counts.bytes += UInt64(size)
    }

    /// Writes frame header and planes.
    private func fill(_ room: UnsafeMutableRawBufferPointer, from data: UnsafeRawBufferPointer) {
        guard let target = room.baseAddress, let source = data.baseAddress else { return }
        Self.frameLine.withUnsafeBytes { room.copyMemory(from: $0) }
        planarizer.convert(source, into: (target + Self.frameLine.count).assumingMemoryBound(to: UInt8.self))
    }
}

/// Interlacing tags of yuv4mpeg(5).
extension FieldOrder {
    fileprivate var y4mTag: String {
        switch self {
        case .progressive: "Ip"
        case .topFirst: "It"
        case .bottomFirst: "Ib"
        }
    }
}

/// Chroma tags of yuv4mpeg(5).
extension ChromaSampling {
    fileprivate var y4mTag: String {
        switch self {
        case .yuv444: "C444"
        case .yuv422: "C422"
        case .yuv420: "C420jpeg"
        case .grey: "Cmono"
        }
    }
}
