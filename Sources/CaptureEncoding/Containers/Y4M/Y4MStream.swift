import CaptureGate

/// YUV4MPEG2: raw planes behind a line of text. The format is described in yuv4mpeg(5) of mjpegtools.
///
/// Packed 4:2:2 becomes planar, 4:2:0 has its chroma in the middle of four pixels, where V4L2 has it; no sample changes.
/// Of grey of more than 8 bits the upper 8 are kept. RGB becomes 4:4:4 by the matrix of BT.601. The format has no word for
/// the matrix, and readers take it for that of BT.601: so Y, Cb and Cr of any other are converted to it. It has one for the
/// range, which stays.
///
/// *session-bound*
final class Y4MStream: ClipStream {
    let head: [UInt8]
    private(set) var counts = EncoderCounts()
    private let planarizer: Planarizer
    private let duration: Int64

    private static let frameLine = Array("FRAME\n".utf8)

    init(_ track: ClipTrack) throws(CaptureError) {
        guard let format = track.video, let planarizer = Planarizer(format, to: .y4m, takesRGB: true) else {
            throw Self.cannotHold(track)
        }
        self.planarizer = planarizer
        duration = format.frameRate.frameNanoseconds
        head = Array(Self.headLine(format, planarizer.geometry.sampling).utf8)
    }

    private static func headLine(_ format: VideoFormat, _ sampling: ChromaSampling) -> String {
        let rate = "F\(format.frameRate.numerator):\(format.frameRate.denominator)"
        // 0:0 is a shape that is not known: a camera's are square, but V4L2 need not say so.
        let aspect = format.pixelAspect?.description ?? "0:0"
        let shape = "W\(format.width) H\(format.height) \(rate) \(format.fieldOrder.y4mTag) A\(aspect)"
        return "YUV4MPEG2 \(shape) \(sampling.y4mTag) XCOLORRANGE=\(range(format))\n"
    }

    /// RGB becomes Y, Cb and Cr of limited range.
    private static func range(_ format: VideoFormat) -> String {
        let colorimetry = format.colorimetry
        return colorimetry.matrix == .rgb || colorimetry.range == .limited ? "LIMITED" : "FULL"
    }

    private static func cannotHold(_ track: ClipTrack) -> CaptureError {
        let format = track.video.map { "\($0.width)x\($0.height) \($0.pixelFormat)" } ?? "sound"
        return CaptureError(
            .usage, "Y4M can't hold \(format).",
            remedies: [
                Remedy("Choose --pixel-format YUYV, NV12, YU12, RGB3 or GREY, or record to a name that ends in .mkv.")
            ])
    }

    func encode(_ data: RawSpan, at nanoseconds: Int64, into packets: inout PacketBuffer) throws(CaptureError) {
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

    private func fill(_ room: UnsafeMutableRawBufferPointer, from data: UnsafeRawBufferPointer) {
        guard let target = room.baseAddress, let source = data.baseAddress else { return }
        Self.frameLine.withUnsafeBytes { room.copyMemory(from: $0) }
        planarizer.convert(source, into: (target + Self.frameLine.count).assumingMemoryBound(to: UInt8.self))
    }
}

extension FieldOrder {
    fileprivate var y4mTag: String {
        switch self {
        case .progressive: "Ip"
        case .topFirst: "It"
        case .bottomFirst: "Ib"
        }
    }
}

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
