import CaptureGate

/// YUV4MPEG2: raw planes behind a line of text. The format is described in yuv4mpeg(5) of mjpegtools.
///
/// Packed 4:2:2 becomes planar, 4:2:0 has its chroma in the middle of four pixels, where V4L2 has it; no sample changes.
/// Of grey of more than 8 bits the upper 8 are kept. RGB becomes 4:4:4 by the matrix of BT.601.
///
/// *session-bound*
final class Y4MStream: ClipStream {
    let head: [UInt8]
    private(set) var counts = EncoderCounts()
    private let planarizer: Planarizer
    private let duration: Int64

    private static let frameLine = Array("FRAME\n".utf8)

    init(_ track: ClipTrack) throws(CaptureError) {
        guard let format = track.video, let planarizer = Planarizer(format, takesRGB: true) else {
            throw Self.cannotHold(track)
        }
        self.planarizer = planarizer
        duration = format.frameRate.frameNanoseconds
        head = Array(Self.headLine(format, planarizer.geometry.sampling).utf8)
    }

    private static func headLine(_ format: VideoFormat, _ sampling: ChromaSampling) -> String {
        let rate = "F\(format.frameRate.numerator):\(format.frameRate.denominator)"
        // The pixels' shape is not known: a camera's are square, but V4L2 need not say so.
        return "YUV4MPEG2 W\(format.width) H\(format.height) \(rate) Ip A0:0 \(sampling.y4mTag)\n"
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
