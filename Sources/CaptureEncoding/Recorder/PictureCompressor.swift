import CaptureGate

/// Makes a camera's raw pictures JPEG images before they wait in memory, where they need a small part of the room.
///
/// The images go into the clip as they are: each picture is encoded once, by the clip's own parameters.
///
/// *session-bound*
final class PictureCompressor {
    /// Of the images.
    let format: VideoFormat
    private let encoder: MJPEGEncoder
    private var packets = PacketBuffer()

    /// - Parameter source: of the pictures.
    /// - Throws: `.usage` for pictures that can't be made JPEG, and parameters out of range.
    init(_ source: VideoFormat, _ parameters: MJPEGParameters) throws(CaptureError) {
        var format = VideoFormat(
            width: source.width, height: source.height, pixelFormat: .mjpeg, frameRate: source.frameRate,
            bytesPerLine: 0, colorimetry: source.colorimetry.asJPEG)
        format.fieldOrder = source.fieldOrder
        format.pixelAspect = source.pixelAspect
        self.format = format
        encoder = MJPEGEncoder(format: source, parameters: parameters)
        try encoder.begin()
    }

    /// - Parameter body: gets the image; nothing where the picture was short, so that the clip's writer counts it as broken.
    func withImage<Value>(
        of picture: RawSpan, _ body: (RawSpan) throws(CaptureError) -> Value
    ) throws(CaptureError) -> Value {
        packets.removeAll()
        try encoder.encode(picture, at: 0, into: &packets)
        guard packets.count > 0 else { return try body(RawSpan()) }
        return try packets.withBytes(of: 0) { (image) throws(CaptureError) in try body(image.bytes) }
    }
}

extension ClipFormat {
    /// Whether its pictures, where it has any, are JPEG images.
    func keepsJPEG(as codec: VideoCodec) -> Bool {
        switch self {
        case .mjpeg, .wav, .flac, .opus: true
        case .matroska: codec != .raw
        case .y4m, .raw, .nothing: false
        }
    }
}
