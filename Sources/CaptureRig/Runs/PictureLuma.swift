import CaptureGate
import CaptureRecording

/// Reader of the brightness in a camera's frames: directly from the bytes if the format allows it, otherwise from the decoded
/// image.
///
/// *session-bound*
struct FrameLuma: Sendable {
    private let source: Source

    private enum Source: Sendable {
        /// - Parameter least: bytes of a whole frame.
        case bytes(LumaShape, least: Int)
        case decoder(FrameDecoder)
        case image(FrameImages)
    }

    /// - Throws: `.usage` for frames that can't be converted to an image.
    init(_ media: ClipTrack.Media) throws(CaptureError) {
        guard case .video(let format) = media else { throw CaptureError(.usage, "Audio has no brightness.") }
        if format.pixelFormat.isJPEG {
            source = .image(try FrameImages(format))
        } else if let layout = RawLayout(format), let shape = Self.shape(format, layout) {
            source = .bytes(shape, least: layout.byteCount)
        } else {
            source = .decoder(try FrameDecoder(format))
        }
    }

    /// Reads the brightness of a frame.
    ///
    /// - Parameters:
    ///   - points: minimum columns and rows: a JPEG with eight times as many pixels is decoded to an eighth, whose pixels are
    ///     means; `nil` for all pixels.
    ///   - body: gets the bytes, and the layout of the brightness.
    /// - Returns: `nil` for a frame that is too short or can't be decoded.
    func read<Result>(
        _ frame: RawSpan, points: (columns: Int, rows: Int)? = nil, _ body: (Span<UInt8>, LumaShape) -> Result
    ) -> Result? {
        switch source {
        case .bytes(let shape, let least):
            guard frame.byteCount >= least else { return nil }
            return frame.withUnsafeBytes { body($0.bindMemory(to: UInt8.self).span, shape) }
        case .decoder(let decoder): return decoder.read(frame, body)
        case .image(let images): return images.read(frame, points, body)
        }
    }

    /// True for a frame that must be decoded to check that it can be read.
    func isDoubtful(_ frame: RawSpan) -> Bool {
        if case .image(let images) = source { !images.decoder.seemsWhole(frame) } else { false }
    }

    /// Coarse grid of points of a frame: enough for the mean and the similarity of whole images.
    func points(of frame: RawSpan, columns: Int = 64, rows: Int = 48) -> LumaImage? {
        read(frame, points: (columns, rows)) { LumaImage($0, $1, columns: columns, rows: rows) } ?? nil
    }

    /// Pixels in the middle of a frame, without a gap.
    func middle(of frame: RawSpan, width: Int, height: Int) -> LumaImage? {
        read(frame) { bytes, whole in
            var part = whole
            (part.width, part.height) = (min(width, whole.width), min(height, whole.height))
            let (left, top) = ((whole.width - part.width) / 2, (whole.height - part.height) / 2)
            part.offset += top * whole.stride + left * whole.step
            return LumaImage(bytes, part)
        } ?? nil
    }

    /// - Returns: `nil` if no byte has the brightness alone: grey of 10 and of 12 bits.
    private static func shape(_ format: VideoFormat, _ layout: RawLayout) -> LumaShape? {
        let (offset, step): (Int, Int)
        switch PixelArrangement(format.pixelFormat) {
        case .packed(let y, _, _): (offset, step) = (y, 2)
        case .semiplanar, .planar, .grey: (offset, step) = (0, 1)
        case .rgb: (offset, step) = (1, 3)
        case .deepGrey(shift: 8, let isBigEndian): (offset, step) = (isBigEndian ? 0 : 1, 2)
        case .deepGrey, nil: return nil
        }
        return LumaShape(
            width: format.width, height: format.height, stride: layout.planes[0].stride,
            offset: layout.planes[0].offset + offset, step: step)
    }
}

/// Decoder of grey whose bytes hold only a part of it.
///
/// *session-bound*
// Unchecked: an inspector owns the decoder's memory, and one thread at a time uses an inspector.
final class FrameDecoder: @unchecked Sendable {
    private let reader: StillEncoder

    init(_ format: VideoFormat) throws(CaptureError) { reader = try StillEncoder(format, as: .qoi) }

    /// - Returns: `nil` for a frame that is too short.
    func read<Result>(_ frame: RawSpan, _ body: (Span<UInt8>, LumaShape) -> Result) -> Result? {
        guard let pixels = try? reader.pixels(of: frame) else { return nil }
        let bytes = UnsafeBufferPointer(start: pixels.start, count: pixels.rowBytes * pixels.height)
        return body(bytes.span, LumaShape(width: pixels.width, height: pixels.height, stride: pixels.rowBytes))
    }
}

/// Decoder of a camera's JPEG.
///
/// *session-bound*
// Unchecked: an inspector owns the decoder's memory, and one thread at a time uses an inspector.
final class FrameImages: @unchecked Sendable {
    let decoder: JPEGPixels
    private let size: (width: Int, height: Int)

    init(_ format: VideoFormat) throws(CaptureError) {
        // Error of a format that can't be converted to an image.
        _ = try StillEncoder(format, as: .jpeg)
        decoder = JPEGPixels(format)
        size = (format.width, format.height)
    }

    func read<Result>(
        _ frame: RawSpan, _ points: (columns: Int, rows: Int)?, _ body: (Span<UInt8>, LumaShape) -> Result
    ) -> Result? {
        let isCoarse = points.map { size.width >= 8 * $0.columns && size.height >= 8 * $0.rows } ?? false
        return decoder.read(frame, reducedBy: isCoarse ? 8 : 1) { body($0, LumaShape(width: $1, height: $2)) }
    }
}

/// Choice of the frames whose images a check reads: all of them if that takes little time.
///
/// Reading the code of a 1080p JPEG takes 1 to 4 ms, however small the decoded image. So images of more than 640 x 480 pixels are
/// decoded at a slower pace than they arrive. In addition, those whose size in bytes differs from the last one's are decoded: an
/// image that turns black, or lost a part, has another size.
///
/// *session-bound*
struct PictureSample: Sendable {
    /// Pace at which coarse images are made, in ns: every fourth one at 30 frames per second.
    static let coarse: Int64 = 120_000_000
    /// Pace in which all pixels are decoded, in ns.
    static let fine: Int64 = 320_000_000
    /// Most pixels of an image that is decoded each time.
    private static let small = 640 * 480

    /// `nil` if each frame is due.
    private let pace: Int64?
    private var last: (time: Int64, byteCount: Int)?

    init(_ media: ClipTrack.Media, pace: Int64) {
        guard case .video(let format) = media, format.pixelFormat.isJPEG else {
            self.pace = nil
            return
        }
        self.pace = format.width * format.height > Self.small ? pace : nil
    }

    /// Tells that a frame is to be looked at, and takes it to be.
    ///
    /// - Parameter isSuspect: true if its bytes alone, or a fault of one before, are reason enough.
    mutating func isDue(_ header: FrameHeader, _ byteCount: Int, isSuspect: Bool) -> Bool {
        if let pace, let last, header.timestamp - last.time < pace,
            8 * abs(byteCount - last.byteCount) <= last.byteCount, !isSuspect
        {
            return false
        }
        last = (header.timestamp, byteCount)
        return true
    }
}

/// Number of a frame that only changes when its bytes do.
///
/// A frame is compared with a copy of the one before, which ends at the first difference: a third of the time that a checksum
/// of 1080p takes.
///
/// *session-bound*
struct FrameRepetition: Sendable {
    private var previous: [UInt8] = []
    private var number: UInt32 = 0

    /// Number of the previous frame if all bytes are the same, otherwise the next number.
    mutating func number(of frame: RawSpan) -> UInt32 {
        frame.withUnsafeBytes { bytes in
            if bytes.count == previous.count {
                let isSame = previous.withUnsafeMutableBytes { old in
                    if Self.isSame(UnsafeRawBufferPointer(old), bytes) { return true }
                    old.copyMemory(from: bytes)
                    return false
                }
                if isSame { return number }
            } else {
                previous = Array(bytes)
            }
            number &+= 1
            return number
        }
    }

    /// Eight bytes at a time.
    private static func isSame(_ one: UnsafeRawBufferPointer, _ other: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        while index + 8 <= one.count {
            let (word, second) = (
                one.loadUnaligned(fromByteOffset: index, as: UInt64.self),
                other.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            )
            if word != second { return false }
            index += 8
        }
        while index < one.count {
            if one[index] != other[index] { return false }
            index += 1
        }
        return true
    }
}
