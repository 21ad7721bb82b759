import CMedia
import CaptureBase

/// Converter in its own memory: to R, G, B bytes from the formats that libv4lconvert knows, and to those or to planes of Y, Cb and
/// Cr from the formats that are unpacked here.
///
/// *session-bound*
final class FrameConverter {
    /// Format of the converted frames.
    let target: VideoFormat
    /// Format of the camera's frames.
    private let source: VideoFormat
    /// Layout of the camera's frames.
    private let layout: ConvertibleLayout
    /// libv4lconvert's state (`struct v4lconvert_data`).
    private let data: OpaquePointer
    /// Copy of a frame for libv4lconvert, and room for what it reads beyond the end.
    private let input: UnsafeMutableRawBufferPointer
    /// Converted frame.
    private let output: UnsafeMutableRawBufferPointer
    /// Unpacker of formats that libv4lconvert does not know.
    private let unpacker: Unpacker?
    /// True if the unpacked samples are a mosaic, which libv4lconvert then converts.
    private let isMosaic: Bool
    /// Source and target in the terms of VIDIOC_S_FMT.
    private var formats: (source: cm_v4l2_format, target: cm_v4l2_format)

    /// True if frames of this format and size can be converted.
    static func converts(_ format: VideoFormat) -> Bool {
        guard let layout = ConvertibleLayout.known[format.pixelFormat] else { return false }
        return format.planeBytesPerLine.count == 1 && layout.takes(width: format.width, height: format.height)
    }

    /// Allocates all memory that the conversion needs.
    ///
    /// - Returns: `nil` for a format that can't be converted, and without memory.
    init?(_ format: VideoFormat) {
        guard Self.converts(format), let layout = ConvertibleLayout.known[format.pixelFormat],
            let data = cm_convert_create()
        else { return nil }
        self.data = data
        self.layout = layout
        source = format
        unpacker = layout.unpacking.map {
            Unpacker($0, width: format.width, height: format.height, bytesPerLine: format.bytesPerLine)
        }
        let mosaic = layout.unpacking.flatMap { ConvertibleLayout.mosaics.contains($0.target) ? $0.target : nil }
        isMosaic = mosaic != nil
        target = Self.target(of: format, mosaic == nil ? layout.unpacking : nil)
        let pixels = format.width * format.height
        let whole = layout.byteCount(width: format.width, height: format.height) ?? 0
        // libv4lconvert's functions may read a little beyond the end of a frame, and write rows in pairs.
        input = .allocate(byteCount: max(4 * pixels, whole) + 4 * format.width + 65_536, alignment: 64)
        output = .allocate(byteCount: 3 * pixels + 6 * format.width, alignment: 64)
        input.initializeMemory(as: UInt8.self, repeating: 0)
        // A format without separate rows is first unpacked to rows of one byte per pixel.
        formats = (
            Self.raw(format, as: mosaic, rowBytes: layout.rowBytes(width: format.width) ?? format.width),
            Self.raw(target, rowBytes: 3 * format.width)
        )
    }

    deinit {
        cm_convert_destroy(data)
        input.deallocate()
        output.deallocate()
    }

    /// Format of the result. The frame is of the same device, so all but its layout in memory stays.
    private static func target(of format: VideoFormat, _ unpacking: Unpacking?) -> VideoFormat {
        let pixelFormat = unpacking?.target ?? .rgb24
        let colorimetry = pixelFormat == .rgb24 ? format.colorimetry.converted : format.colorimetry
        let bytesPerLine = unpacking?.targetRowBytes(width: format.width) ?? 3 * format.width
        return format.laidOut(as: pixelFormat, bytesPerLine: bytesPerLine, colorimetry)
    }

    /// Converts one frame.
    ///
    /// - Returns: the frame, valid until the next call; empty if it is broken.
    func convert(_ picture: RawSpan) -> UnsafeRawBufferPointer {
        let broken = UnsafeRawBufferPointer(start: nil, count: 0)
        guard let from = input.baseAddress, let to = output.baseAddress else { return broken }
        let count = picture.withUnsafeBytes { unpacker == nil ? pack($0) : unpack($0, isMosaic ? from : to) }
        guard count > 0 else { return broken }
        if unpacker != nil, !isMosaic { return UnsafeRawBufferPointer(start: to, count: count) }
        let pixels = 3 * source.width * source.height
        if let conversion = layout.conversion {
            convert(conversion, from.assumingMemoryBound(to: UInt8.self), to.assumingMemoryBound(to: UInt8.self))
            return UnsafeRawBufferPointer(start: to, count: pixels)
        }
        // libv4lconvert may write into its source, and the driver's buffer belongs to the driver: hence the copy.
        let made = cm_convert(data, &formats.source, &formats.target, from, Int64(count), to, Int64(pixels))
        return made == pixels ? UnsafeRawBufferPointer(start: to, count: pixels) : broken
    }

    /// Converts formats that libv4lconvert converts wrongly.
    private func convert(
        _ conversion: ConvertibleLayout.Conversion, _ from: UnsafePointer<UInt8>, _ to: UnsafeMutablePointer<UInt8>
    ) {
        let count = source.width * source.height
        switch conversion {
        case .hues(let bytes):
            let steps = source.encoding == Self.degrees ? 180 : 256
            HSVConverter(pixelBytes: bytes, steps: steps).convert(from, to, count: count)
        case .greys(let steps): GreyExpander(steps: steps).convert(from, to, count: count)
        }
    }

    /// Unpacks a frame.
    ///
    /// - Returns: number of bytes; 0 if the frame has too few.
    private func unpack(_ picture: UnsafeRawBufferPointer, _ target: UnsafeMutableRawPointer) -> Int {
        guard let unpacker, unpacker.unpack(picture, into: target.assumingMemoryBound(to: UInt8.self)) else { return 0 }
        return unpacker.unpacking.targetByteCount(width: source.width, height: source.height)
    }

    /// Copies the frame without its padding, of which libv4lconvert knows nothing in most formats.
    ///
    /// - Returns: number of bytes; 0 if the frame has too few or too many.
    private func pack(_ picture: UnsafeRawBufferPointer) -> Int {
        guard let from = picture.baseAddress, let to = input.baseAddress else { return 0 }
        guard let rowBytes = layout.rowBytes(width: source.width) else {
            let whole = layout.byteCount(width: source.width, height: source.height)
            guard picture.count >= whole ?? 1, whole ?? picture.count <= input.count else { return 0 }
            to.copyMemory(from: from, byteCount: whole ?? picture.count)
            return whole ?? picture.count
        }
        let stride = max(source.bytesPerLine, rowBytes)
        guard picture.count >= stride * (source.height - 1) + rowBytes else { return 0 }
        for row in 0..<source.height {
            (to + row * rowBytes).copyMemory(from: from + row * stride, byteCount: rowBytes)
        }
        return rowBytes * source.height
    }

    /// Format in libv4lconvert's terms, without padding.
    private static func raw(
        _ format: VideoFormat, as other: PixelFormat? = nil, rowBytes: Int
    ) -> cm_v4l2_format {
        var raw = cm_v4l2_format()
        raw.buffer_type = 1
        raw.width = UInt32(format.width)
        raw.height = UInt32(format.height)
        raw.pixelformat = (other ?? format.pixelFormat).rawValue
        raw.planes = 1
        raw.bytesperline.0 = UInt32(rowBytes)
        raw.sizeimage.0 = UInt32(rowBytes * format.height)
        return raw
    }

    /// V4L2_HSV_ENC_180: hues of two degrees each. A driver that names no encoding, as vivid does after any other
    /// format, means V4L2_HSV_ENC_256, the whole byte.
    static let degrees: UInt32 = 128
}

/// Conversion of grey with less than eight bits, one byte per pixel, to R, G, B.
struct GreyExpander {
    /// Value of white; higher values are white, too.
    let steps: Int

    /// Converts `count` pixels. Scaled, not shifted, so that white becomes 255.
    func convert(_ source: UnsafePointer<UInt8>, _ target: UnsafeMutablePointer<UInt8>, count: Int) {
        for index in 0..<count {
            let grey = UInt8(truncatingIfNeeded: (min(Int(source[index]), steps) * 255 + steps / 2) / steps)
            for colour in 0..<3 { target[3 &* index &+ colour] = grey }
        }
    }
}

/// Conversion of hue, saturation and value to R, G, B, in whole numbers.
struct HSVConverter {
    /// Bytes per pixel: 3, or 4 with the first one empty.
    let pixelBytes: Int
    /// Number of hues in the circle: 180 or 256.
    let steps: Int

    /// Converts `count` pixels.
    func convert(_ source: UnsafePointer<UInt8>, _ target: UnsafeMutablePointer<UInt8>, count: Int) {
        for index in 0..<count {
            let pixel = source + (index &* pixelBytes &+ pixelBytes &- 3)
            let (red, green, blue) = colour(Int(pixel[0]), Int(pixel[1]), Int(pixel[2]))
            target[3 &* index] = red
            target[3 &* index &+ 1] = green
            target[3 &* index &+ 2] = blue
        }
    }

    /// Converts one pixel.
    private func colour(_ hue: Int, _ saturation: Int, _ value: Int) -> (UInt8, UInt8, UInt8) {
        // The circle has six parts of `steps` sixths of a step each.
        let (part, rest) = (6 * hue / steps % 6, 6 * hue % steps)
        let whole = 255 * steps
        func faded(_ amount: Int) -> UInt8 {
            UInt8(truncatingIfNeeded: (value * (whole - saturation * amount) + whole / 2) / whole)
        }
        let (high, low) = (UInt8(truncatingIfNeeded: value), faded(steps))
        let (falling, rising) = (faded(rest), faded(steps - rest))
        switch part {
        case 0: return (high, rising, low)
        case 1: return (falling, high, low)
        case 2: return (low, high, rising)
        case 3: return (low, falling, high)
        case 4: return (rising, low, high)
        default: return (high, low, falling)
        }
    }
}
