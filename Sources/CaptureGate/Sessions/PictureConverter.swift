import CMedia

/// Makes R, G, B bytes of what libv4lconvert knows, in memory of its own.
///
/// *session-bound*
final class PictureConverter {
    let target: VideoFormat
    private let source: VideoFormat
    private let known: Known
    private let data: OpaquePointer
    private let input: UnsafeMutableRawBufferPointer
    private let output: UnsafeMutableRawBufferPointer
    private var formats: (source: cm_v4l2_format, target: cm_v4l2_format)

    /// How rows stand in memory: bits a pixel without padding; `nil` where a picture has as many bytes as it needs.
    private struct Known {
        let bitsPerPixel: Int?
        /// Bytes a pixel of a format of hues, which are converted here.
        var hueBytes: Int?
    }

    /// - Returns: `nil` for a format that can't be converted, and without memory.
    init?(_ format: VideoFormat) {
        guard let known = Self.known[format.pixelFormat], format.planeBytesPerLine.count == 1,
            (8...16_384).contains(format.width), (8...16_384).contains(format.height),
            format.width.isMultiple(of: 2), format.height.isMultiple(of: 2),
            let data = cm_convert_create()
        else { return nil }
        self.data = data
        self.known = known
        source = format
        target = VideoFormat(
            width: format.width, height: format.height, pixelFormat: .rgb24, frameRate: format.frameRate,
            bytesPerLine: 3 * format.width)
        let pixels = format.width * format.height
        // Its functions may read a little beyond the end of a picture, and write rows in pairs.
        input = .allocate(byteCount: 4 * pixels + 4 * format.width + 65_536, alignment: 64)
        output = .allocate(byteCount: 3 * pixels + 6 * format.width, alignment: 64)
        input.initializeMemory(as: UInt8.self, repeating: 0)
        formats = (
            Self.raw(format, rowBytes: known.bitsPerPixel.map { format.width * $0 / 8 }),
            Self.raw(target, rowBytes: 3 * format.width)
        )
    }

    deinit {
        cm_convert_destroy(data)
        input.deallocate()
        output.deallocate()
    }

    /// - Returns: the picture, valid until the next; empty where it is broken.
    func convert(_ picture: RawSpan) -> UnsafeRawBufferPointer {
        let broken = UnsafeRawBufferPointer(start: nil, count: 0)
        guard let from = input.baseAddress, let to = output.baseAddress else { return broken }
        let count = picture.withUnsafeBytes { pack($0) }
        guard count > 0 else { return broken }
        let pixels = Int64(3 * source.width * source.height)
        if let pixelBytes = known.hueBytes {
            HueRows(pixelBytes: pixelBytes, steps: source.encoding == Self.degrees ? 180 : 256).convert(
                from.assumingMemoryBound(to: UInt8.self), to.assumingMemoryBound(to: UInt8.self),
                count: source.width * source.height)
            return UnsafeRawBufferPointer(start: to, count: Int(pixels))
        }
        // It may change what it reads, and the driver's buffer is the driver's: so the copy.
        let made = cm_convert(data, &formats.source, &formats.target, from, Int64(count), to, pixels)
        return made == pixels ? UnsafeRawBufferPointer(start: to, count: Int(pixels)) : broken
    }

    /// Copies the picture without its padding, of which libv4lconvert knows nothing in most formats.
    /// - Returns: how many bytes; 0 where they are too few or too many.
    private func pack(_ picture: UnsafeRawBufferPointer) -> Int {
        guard let from = picture.baseAddress, let to = input.baseAddress else { return 0 }
        guard let bits = known.bitsPerPixel else {
            guard picture.count <= input.count else { return 0 }
            to.copyMemory(from: from, byteCount: picture.count)
            return picture.count
        }
        let rowBytes = source.width * bits / 8
        let stride = max(source.bytesPerLine, rowBytes)
        guard picture.count >= stride * (source.height - 1) + rowBytes else { return 0 }
        for row in 0..<source.height {
            (to + row * rowBytes).copyMemory(from: from + row * stride, byteCount: rowBytes)
        }
        return rowBytes * source.height
    }

    private static func raw(_ format: VideoFormat, rowBytes: Int?) -> cm_v4l2_format {
        var raw = cm_v4l2_format()
        raw.buffer_type = 1
        raw.width = UInt32(format.width)
        raw.height = UInt32(format.height)
        raw.pixelformat = format.pixelFormat.rawValue
        raw.planes = 1
        raw.bytesperline.0 = UInt32(rowBytes ?? 0)
        raw.sizeimage.0 = UInt32((rowBytes ?? 0) * format.height)
        return raw
    }
}

extension PictureConverter {
    /// V4L2_HSV_ENC_180: hues of two degrees each. A driver that names no encoding, as vivid does once it gave anything
    /// but hues, means V4L2_HSV_ENC_256, the whole byte.
    static let degrees: UInt32 = 128

    /// What libv4lconvert 1.22 reads, but for what the encoders read themselves and for JPEG; and hues.
    private static let known: [PixelFormat: Known] = table.reduce(into: hues) { known, line in
        for code in line.codes.split(separator: " ").compactMap({ PixelFormat(String($0)) }) {
            known[code] = Known(bitsPerPixel: line.bits)
        }
    }

    private static let hues: [PixelFormat: Known] = [24, 32].reduce(into: [:]) { known, bits in
        guard let code = PixelFormat("HSV\(bits / 8)") else { return }
        known[code] = Known(bitsPerPixel: bits, hueBytes: bits / 8)
    }

    private static let table: [(bits: Int?, codes: String)] = [
        // RGB.
        (16, "RGBP"), (32, "BGR4 RGB4 XR24 BX24 AR24 BA24"),
        // Bayer: 8 bits, 10 bits packed, 10 and 16 bits in 16.
        (8, "BA81 GBRG GRBG RGGB"), (10, "pBAA pGAA pgAA pRAA"), (16, "BG10 GB10 BA10 RG10 BYR2 GB16 GR16 RG16"),
        // Grey of 10 bits, packed.
        (10, "Y10B"),
        // 4:2:0 in ways of their own, and compressed Bayer.
        (nil, "S501 S505 S508 CITV KONI S920 M420 HM12 CPIA S561 S910 SONX P207 M310 JL20 905C S401 S680"),
    ]
}
