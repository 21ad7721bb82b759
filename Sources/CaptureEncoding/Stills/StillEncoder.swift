import CCodecs
import CaptureBase

/// Encoder of a camera's frames to still images, each for itself.
///
/// Takes every raw format that ``StillFormat/takes(_:)`` accepts, and MJPEG. A camera's own JPEG is
/// stored as `.jpg` bit by bit, repaired if it must be. Grey of more than 8 bits keeps them in PNG.
///
/// The corresponding C functions are `png_write_row`, `jpeg_write_raw_data` and `tjDecompress2`.
///
/// *session-bound*
public final class StillEncoder {
    /// Format of the camera's frames.
    public let format: VideoFormat
    /// Format of the stills.
    public let still: StillFormat
    /// Quality and compression.
    public let parameters: StillParameters

    /// Encoder of JPEG files.
    private let jpeg: any TrackEncoder
    /// Decoded frame; the memory is reused.
    private let pixels: StillPixels
    /// File being made.
    private var packets = PacketBuffer()

    /// - Parameters:
    ///   - format: of the camera's frames.
    ///   - still: of the stills.
    ///   - parameters: quality and compression.
    /// - Throws: `.usage` for a format that no image can be made of, or a parameter out of range.
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
        if format.pixelFormat.isJPEG {
            jpeg = MJPEGRepair(format: format)
        } else {
            jpeg = MJPEGEncoder(format: format, parameters: parameters.jpeg, isSingle: true)
        }
        pixels = StillPixels(format, range: parameters.jpeg.range, keepsDepth: still == .png)
        try jpeg.begin()
    }

    /// Checks the frames' size and format.
    static func check(_ format: VideoFormat) throws(CaptureError) {
        let isPossible = (1...16_384).contains(format.width) && (1...16_384).contains(format.height)
        guard isPossible, format.pixelFormat.isJPEG || RawLayout(format) != nil else {
            throw CaptureError(
                .usage, "\(format.width)x\(format.height) \(format.pixelFormat) can't be converted to an image.",
                remedies: [Remedy("Choose --pixel-format YUYV, NV12, YU12 or MJPG, and an even width.")])
        }
    }

    /// Encodes one frame.
    /// - Parameter frame: one driver buffer.
    /// - Returns: the bytes of the file.
    /// - Throws: `.unavailable` for a frame that is short or broken: take the next one.
    public func encode(_ frame: RawSpan) throws(CaptureError) -> [UInt8] {
        packets.removeAll()
        switch still {
        case .jpeg: try jpeg.encode(frame, at: 0, into: &packets)
        case .png, .qoi: try encodePixels(of: frame)
        }
        guard packets.count > 0 else { throw broken }
        return packets.withBytes(of: 0) { Array($0) }
    }

    /// PNG and QOI go through pixels.
    private func encodePixels(of frame: RawSpan) throws(CaptureError) {
        _ = try pixels(of: frame)
        try still == .png ? encodePNG() : encodeQOI()
    }

    /// Decodes a frame; the result is valid until the next one.
    package func pixels(of frame: RawSpan) throws(CaptureError) -> StillPixels {
        guard pixels.read(frame) else { throw broken }
        return pixels
    }

    /// Encodes by libpng, whose errors the shim turns into -errno.
    private func encodePNG() throws(CaptureError) {
        var picture = cc_png_picture()
        picture.pixels = pixels.start
        picture.stride = pixels.rowBytes
        picture.width = UInt32(pixels.width)
        picture.height = UInt32(pixels.height)
        picture.channels = Int32(pixels.kind.channels)
        picture.depth = Int32(pixels.kind.depth)
        picture.level = Int32(parameters.pngLevel)
        let result = cc_png_encode(&picture, &packets.storage)
        guard result >= 0 else {
            throw CaptureError(.inputOutput, "libpng can't encode the image.", errno: -result)
        }
    }

    /// Encodes into the packet buffer's own memory.
    private func encodeQOI() throws(CaptureError) {
        let qoi = QOI(width: pixels.width, height: pixels.height, isGrey: pixels.kind == .grey)
        try packets.append(capacity: qoi.bound, at: 0, lasting: 0) { qoi.encode(pixels.start, into: $0) }
    }

    /// Error of a single frame; the camera continues.
    private var broken: CaptureError {
        CaptureError(
            .unavailable, "The camera's frame is damaged or incomplete.", remedies: [Remedy("Take the next one.")])
    }
}

/// Frame as rows of grey or RGB without padding, in memory that is reused.
///
/// *session-bound*
package final class StillPixels {
    /// Samples of a pixel.
    package enum Kind: Hashable {
        /// 8 bits each.
        case rgb, grey
        /// 16-bit grey, high byte first, as PNG stores it.
        case deepGrey

        package var channels: Int { self == .rgb ? 3 : 1 }
        /// Bits per sample.
        package var depth: Int { self == .deepGrey ? 16 : 8 }
    }

    package let kind: Kind
    package let width: Int
    package let height: Int
    /// Bytes of a row.
    package var rowBytes: Int { width * kind.channels * kind.depth / 8 }
    /// First byte of the first row, valid until the next frame is read.
    package private(set) var start: UnsafePointer<UInt8>

    private let layout: RawLayout?
    private let arrangement: PixelArrangement?
    /// Makes planes of YCbCr, and narrows grey; `nil` for RGB and JPEG.
    private let planarizer: Planarizer?
    /// Coefficients of the source's matrix and range.
    private let matrix: YCbCrToRGB
    /// Conversion of BT.2020's constant luminance, which no matrix describes; `nil` for all others.
    private let constant: ConstantLuminance?
    /// Range of the source, which RGB and grey are expanded from.
    private let isLimited: Bool
    /// Planes of the frame on its way to RGB.
    private let planes: UnsafeMutableBufferPointer<UInt8>
    /// Rows of raw formats.
    private let room: UnsafeMutablePointer<UInt8>
    /// Decoder of a camera's JPEG; `nil` for raw formats.
    private let jpeg: JPEGPixels?

    /// - Parameters:
    ///   - format: of the camera's frames.
    ///   - range: of the camera's YUV, if the camera reports it wrongly.
    ///   - keepsDepth: keeps grey of more than 8 bits.
    package init(_ format: VideoFormat, range: MJPEGParameters.Range, keepsDepth: Bool) {
        (width, height) = (format.width, format.height)
        layout = RawLayout(format)
        let arrangement = PixelArrangement(format.pixelFormat)
        self.arrangement = arrangement
        planarizer = Planarizer(format)
        let meaning = format.of(range).colorimetry
        matrix = YCbCrToRGB(meaning)
        constant = meaning.matrix == .bt2020Constant ? ConstantLuminance(meaning.range) : nil
        isLimited = meaning.range == .limited
        kind = Self.kind(arrangement, keepsDepth)
        room = .allocate(capacity: layout == nil ? 1 : max(6 * width * height, 1))
        start = UnsafePointer(room)
        planes = .allocate(capacity: kind == .rgb ? planarizer?.geometry.byteCountWithScratch ?? 0 : 0)
        jpeg = format.pixelFormat.isJPEG ? JPEGPixels(format, as: .rgb) : nil
    }

    deinit {
        room.deallocate()
        planes.deallocate()
    }

    /// RGB for everything but grey.
    private static func kind(_ arrangement: PixelArrangement?, _ keepsDepth: Bool) -> Kind {
        switch arrangement {
        case .grey: .grey
        case .deepGrey: keepsDepth ? .deepGrey : .grey
        default: .rgb
        }
    }

    /// Converts or decodes a frame.
    /// - Parameter frame: one driver buffer.
    /// - Returns: false for a frame that is cut short, broken, or of no known layout.
    package func read(_ frame: RawSpan) -> Bool {
        guard let jpeg else { return frame.withUnsafeBytes { read(raw: $0) } }
        guard let pixels = jpeg.decode(frame)?.baseAddress else { return false }
        start = pixels
        return true
    }

    private func read(raw frame: UnsafeRawBufferPointer) -> Bool {
        guard let layout, let arrangement, frame.count >= layout.byteCount, let source = frame.baseAddress else {
            return false
        }
        switch arrangement {
        case .rgb(let red, _): copyRGB(source, layout.planes[0].stride, isSwapped: red != 0)
        case .deepGrey(let shift, let isBigEndian) where kind == .deepGrey:
            widen(source, layout.planes[0].stride, bits: Int(shift) + 8, isBigEndian)
        case .grey, .deepGrey: planarizer?.convert(source, into: room)
        case .packed, .planar, .semiplanar: mix(source)
        }
        if isLimited, !arrangement.hasChromaPlanes { widen() }
        return true
    }

    /// Copies RGB; swaps red and blue of BGR.
    private func copyRGB(_ source: UnsafeRawPointer, _ stride: Int, isSwapped: Bool) {
        for row in 0..<height {
            let (from, to) = (source + row * stride, room + row * rowBytes)
            UnsafeMutableRawPointer(to).copyMemory(from: from, byteCount: rowBytes)
            guard isSwapped else { continue }
            for pixel in 0..<width {
                let red = to[3 &* pixel &+ 2]
                to[3 &* pixel &+ 2] = to[3 &* pixel]
                to[3 &* pixel] = red
            }
        }
    }

    /// Scales samples to 16 bits: their highest bits are repeated below them, so that white stays
    /// white.
    private func widen(_ source: UnsafeRawPointer, _ stride: Int, bits: Int, _ isBigEndian: Bool) {
        for row in 0..<height {
            for pixel in 0..<width {
                let raw = source.loadUnaligned(fromByteOffset: row * stride + 2 &* pixel, as: UInt16.self)
                let value = (isBigEndian ? raw.byteSwapped : raw) << UInt16(16 - bits)
                let full = value | value >> UInt16(bits)
                room[row * rowBytes + 2 &* pixel] = UInt8(truncatingIfNeeded: full >> 8)
                room[row * rowBytes + 2 &* pixel &+ 1] = UInt8(truncatingIfNeeded: full)
            }
        }
    }

    /// Expands limited-range RGB or grey (16 to 235) to full range.
    private func widen() {
        guard kind == .deepGrey else { return Rows.expandLuma(room, into: room, count: rowBytes * height) }
        for pixel in 0..<width * height {
            let value = UInt32(room[2 &* pixel]) << 8 | UInt32(room[2 &* pixel &+ 1])
            // 16 and 235 in 16 bits: 4096 and 60160.
            let above: UInt32 = min(max(value, 4096), 60_160) - 4096
            let full: UInt32 = above * 65_535 / 56_064
            room[2 &* pixel] = UInt8(truncatingIfNeeded: full >> 8)
            room[2 &* pixel &+ 1] = UInt8(truncatingIfNeeded: full)
        }
    }

    /// Converts YCbCr by way of planes.
    private func mix(_ source: UnsafeRawPointer) {
        guard let planarizer, let base = planes.baseAddress else { return }
        planarizer.convert(source, into: base)
        let geometry = planarizer.geometry
        let halves = geometry.sampling != .yuv444
        for row in 0..<height {
            let chroma = geometry.lumaBytes + (geometry.sampling == .yuv420 ? row / 2 : row) * geometry.chromaWidth
            let (y, cb, target) = (base + row * width, base + chroma, room + row * rowBytes)
            if let constant {
                Rows.mix(y, cb, cb + geometry.chromaBytes, into: target, count: width, halves: halves, constant)
            } else {
                Rows.mix(y, cb, cb + geometry.chromaBytes, into: target, count: width, halves: halves, matrix)
            }
        }
    }
}
