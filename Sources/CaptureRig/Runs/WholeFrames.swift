import CaptureGate
import CaptureRecording

/// Look for frames that are broken: compressed ones that do not decode, and raw ones that are too short.
///
/// *session-bound*
struct WholeFrames: StreamInspector {
    private(set) var broken = 0
    private let format: VideoFormat?

    init(_ media: ClipTrack.Media) {
        if case .video(let format) = media { self.format = format } else { format = nil }
    }

    mutating func inspect(_ header: FrameHeader, _ bytes: RawSpan) {
        guard let format else { return }
        let isWhole =
            // For few frames: the decoder is not kept.
            format.pixelFormat.isCompressed
            ? MJPEGRepair(format: format).decodes(bytes) : bytes.byteCount >= format.leastBytes
        if !isWhole { broken += 1 }
    }
}

extension VideoFormat {
    /// Formats in one plane of memory whose chroma takes half as many bytes as the luma.
    private static let halved: Set<String> = ["NV12", "NV21", "YU12", "YV12"]

    /// Bytes that a raw frame has at least; 0 for compressed ones. Of formats in several planes of memory the first one counts,
    /// since the heights of the others are the format's own.
    var leastBytes: Int {
        let luma = bytesPerLine * height
        return planeBytesPerLine.count == 1 && Self.halved.contains(pixelFormat.description) ? luma + luma / 2 : luma
    }
}
