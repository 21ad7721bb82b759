import CCodecs
import CaptureGate

/// Makes a camera's pictures into files, each for itself.
///
/// Takes every raw layout that ``StillFormat/takes(_:)`` tells of, and MJPEG. A camera's own JPEG is stored as a `.jpg`
/// bit by bit, mended where it must be. Grey of more than 8 bits keeps them in PNG.
///
/// *session-bound*
public final class StillEncoder {
    public let format: VideoFormat
    public let still: StillFormat
    public let parameters: StillParameters

    /// For JPEG: the encoder of streams, whose pictures are whole files.
    private let jpeg: any Encoder
    private let pixels: StillPixels
    private var packets = PacketBuffer()

    /// - Throws: `.usage` for a camera's format that no picture can be made of, or a parameter out of range.
    public init(
        _ format: VideoFormat, as still: StillFormat, parameters: StillParameters = StillParameters()
    ) throws(CaptureError) {
        self.format = format
        self.still = still
        self.parameters = parameters
        try Self.check(format)
        guard (0...9).contains(parameters.pngLevel) else {
            throw CaptureError(
                .usage, "PNG has no level \(parameters.pngLevel).", remedies: [Remedy("Choose 0 (fast) to 9 (small).")])
        }
        if format.pixelFormat.isCompressed {
            jpeg = MJPEGRepair(format: format)
        } else {
            jpeg = MJPEGEncoder(format: format, parameters: parameters.jpeg, isSingle: true)
        }
        pixels = StillPixels(format, range: parameters.jpeg.range, keepsDepth: still == .png)
        try jpeg.begin()
    }

    private static func check(_ format: VideoFormat) throws(CaptureError) {
        let isPossible = (1...16_384).contains(format.width) && (1...16_384).contains(format.height)
        guard isPossible, format.pixelFormat.isCompressed || RawFrameLayout(format) != nil else {
            throw CaptureError(
                .usage, "No picture can be made of \(format.width)x\(format.height) \(format.pixelFormat).",
                remedies: [Remedy("Choose --pixel-format YUYV, NV12, YU12 or MJPG, of an even width.")])
        }
    }

    /// Encodes one picture.
    /// - Parameter frame: one buffer of the driver's.
    /// - Returns: the file's bytes.
    /// - Throws: `.unavailable` for a picture that is short or broken: take the next one.
    public func encode(_ frame: RawSpan) throws(CaptureError) -> [UInt8] {
        packets.removeAll()
        switch still {
        case .jpeg: try jpeg.encode(frame, at: 0, into: &packets)
        case .png, .qoi: try encodePixels(of: frame)
        }
        guard packets.count > 0 else { throw broken }
        return packets.withBytes(of: 0) { Array($0) }
    }

    private func encodePixels(of frame: RawSpan) throws(CaptureError) {
        _ = try pixels(of: frame)
        try still == .png ? encodePNG() : encodeQOI()
    }

    /// The picture before it is encoded, until the next one is read.
    func pixels(of frame: RawSpan) throws(CaptureError) -> StillPixels {
        if format.pixelFormat.isCompressed {
            var mended = PacketBuffer()
            try jpeg.encode(frame, at: 0, into: &mended)
            guard mended.count > 0, mended.withBytes(of: 0, { pixels.readJPEG($0) }) else { throw broken }
        } else {
            guard frame.withUnsafeBytes({ pixels.read($0) }) else { throw broken }
        }
        return pixels
    }

    private func encodePNG() throws(CaptureError) {
        var picture = cc_png_picture()
        picture.pixels = UnsafePointer(pixels.start)
        picture.stride = pixels.rowBytes
        picture.width = UInt32(pixels.width)
        picture.height = UInt32(pixels.height)
        picture.channels = Int32(pixels.kind.channels)
        picture.depth = Int32(pixels.kind.depth)
        picture.level = Int32(parameters.pngLevel)
        let result = cc_png_encode(&picture, &packets.storage)
        guard result >= 0 else {
            throw CaptureError(.inputOutput, "libpng can't encode the picture.", errno: -result)
        }
    }

    private func encodeQOI() throws(CaptureError) {
        let qoi = QOI(width: pixels.width, height: pixels.height, isGrey: pixels.kind == .grey)
        try packets.append(capacity: qoi.bound, at: 0, lasting: 0) { qoi.encode(pixels.start, into: $0) }
    }

    private var broken: CaptureError {
        CaptureError(
            .unavailable, "The camera's picture is broken or cut short.", remedies: [Remedy("Take the next one.")])
    }
}
