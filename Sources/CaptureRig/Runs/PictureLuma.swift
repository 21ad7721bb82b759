import CaptureGate
import CaptureRecording

/// Reader of the brightness in a camera's frames: from the bytes as they are where the format allows it, else from the decoded
/// picture.
///
/// *session-bound*
struct FrameLuma: Sendable {
    private let source: Source

    private enum Source: Sendable {
        /// - Parameter least: bytes of a whole frame.
        case bytes(LumaShape, least: Int)
        case decoder(FrameDecoder)
    }

    /// - Throws: `.usage` for frames that no picture can be made of.
    init(_ media: ClipTrack.Media) throws(CaptureError) {
        guard case .video(let format) = media else { throw CaptureError(.usage, "Sound has no brightness.") }
        if let layout = RawLayout(format), let shape = Self.shape(format, layout) {
            source = .bytes(shape, least: layout.byteCount)
        } else {
            source = .decoder(try FrameDecoder(format))
        }
    }

    /// Looks at the brightness of a frame.
    ///
    /// - Returns: `nil` for a frame that is too short or can't be decoded.
    func read<Result>(_ frame: RawSpan, _ body: (Span<UInt8>, LumaShape) -> Result) -> Result? {
        switch source {
        case .bytes(let shape, let least):
            guard frame.byteCount >= least else { return nil }
            return frame.withUnsafeBytes { body($0.bindMemory(to: UInt8.self).span, shape) }
        case .decoder(let decoder): return decoder.read(frame, body)
        }
    }

    /// A coarse grid of points of a frame: as many as the mean and the likeness of whole pictures need.
    func points(of frame: RawSpan, columns: Int = 64, rows: Int = 48) -> LumaImage? {
        read(frame) { LumaImage($0, $1, columns: columns, rows: rows) } ?? nil
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

    /// - Returns: `nil` where no byte has the brightness alone: grey of 10 and of 12 bits.
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

/// Decoder of a camera's JPEG, and of grey whose bytes hold only a part of it.
///
/// *session-bound*
// Sendable by hand because of the decoder's memory: the inspector that has it is used by one thread at a time.
final class FrameDecoder: @unchecked Sendable {
    private let reader: StillEncoder

    init(_ format: VideoFormat) throws(CaptureError) { reader = try StillEncoder(format, as: .qoi) }

    /// - Returns: `nil` for a frame that can't be decoded as a whole; libjpeg's warnings count, as they mean lost data.
    func read<Result>(_ frame: RawSpan, _ body: (Span<UInt8>, LumaShape) -> Result) -> Result? {
        guard let pixels = try? reader.pixels(of: frame) else { return nil }
        let bytes = UnsafeBufferPointer(start: pixels.start, count: pixels.rowBytes * pixels.height)
        let channels = pixels.kind.channels
        let shape = LumaShape(
            width: pixels.width, height: pixels.height, stride: pixels.rowBytes, offset: channels / 2, step: channels)
        return body(bytes.span, shape)
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

    /// The number of the frame before where all bytes are the same, else the next one.
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
