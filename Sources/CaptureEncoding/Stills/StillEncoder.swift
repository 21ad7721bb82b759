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
        guard isPossible, format.pixelFormat.isCompressed || RawLayout(format) != nil else {
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

/// A camera's picture as rows of grey or of R, G and B without padding, in memory that is used again.
///
/// *session-bound*
final class StillPixels {
    enum Kind: Hashable {
        case rgb, grey
        /// Grey of 16 bits, the high byte first.
        case deepGrey

        var channels: Int { self == .rgb ? 3 : 1 }
        var depth: Int { self == .deepGrey ? 16 : 8 }
    }

    let kind: Kind
    let width: Int
    let height: Int
    var rowBytes: Int { width * kind.channels * kind.depth / 8 }
    let start: UnsafeMutablePointer<UInt8>

    private let layout: RawLayout?
    private let arrangement: PixelArrangement?
    private let planarizer: Planarizer?
    private let matrix: YCbCrToRGB
    private let constant: ConstantLuminance?
    private let isLimited: Bool
    private let planes: UnsafeMutableBufferPointer<UInt8>
    private let decoder: OpaquePointer?
    /// Cameras may code whole blocks of 16 rows.
    private let rows: Int

    init(_ format: VideoFormat, range: MJPEGParameters.Range, keepsDepth: Bool) {
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
        rows = format.height + (format.pixelFormat.isCompressed ? 16 : 0)
        let isPossible = layout != nil || format.pixelFormat.isCompressed
        start = .allocate(capacity: isPossible ? max(6 * width * rows, 1) : 1)
        planes = .allocate(capacity: kind == .rgb ? planarizer?.geometry.byteCountWithScratch ?? 0 : 0)
        decoder = format.pixelFormat.isCompressed ? cc_jpeg_decoder() : nil
    }

    deinit {
        start.deallocate()
        planes.deallocate()
        cc_jpeg_free(decoder)
    }

    private static func kind(_ arrangement: PixelArrangement?, _ keepsDepth: Bool) -> Kind {
        switch arrangement {
        case .grey: .grey
        case .deepGrey: keepsDepth ? .deepGrey : .grey
        default: .rgb
        }
    }

    /// - Returns: false for a picture that is cut short, or of no known layout.
    func read(_ frame: UnsafeRawBufferPointer) -> Bool {
        guard let layout, let arrangement, frame.count >= layout.byteCount, let source = frame.baseAddress else {
            return false
        }
        switch arrangement {
        case .rgb(let red, _): copyRGB(source, layout.planes[0].stride, isSwapped: red != 0)
        case .deepGrey(let shift, let isBigEndian) where kind == .deepGrey:
            widen(source, layout.planes[0].stride, bits: Int(shift) + 8, isBigEndian)
        case .grey, .deepGrey: planarizer?.convert(source, into: start)
        case .packed, .planar, .semiplanar: mix(source)
        }
        if isLimited, !arrangement.hasChromaPlanes { widen() }
        return true
    }

    /// - Parameter image: whole, of the format's width and height, or with some rows more.
    /// - Returns: false where it can't be decoded.
    func readJPEG(_ image: UnsafeRawBufferPointer) -> Bool {
        var header = cc_jpeg_planes()
        guard let decoder, let bytes = image.baseAddress?.assumingMemoryBound(to: UInt8.self),
            cc_jpeg_header(decoder, bytes, image.count, &header) >= 0, Int(header.width) == width,
            (height..<rows).contains(Int(header.height))
        else { return false }
        return cc_jpeg_decode_rgb(
            decoder, bytes, image.count, start, header.width, Int32(rowBytes), header.height) >= 0
    }

    private func copyRGB(_ source: UnsafeRawPointer, _ stride: Int, isSwapped: Bool) {
        for row in 0..<height {
            let (from, to) = (source + row * stride, start + row * rowBytes)
            UnsafeMutableRawPointer(to).copyMemory(from: from, byteCount: rowBytes)
            guard isSwapped else { continue }
            for pixel in 0..<width {
                let red = to[3 &* pixel &+ 2]
                to[3 &* pixel &+ 2] = to[3 &* pixel]
                to[3 &* pixel] = red
            }
        }
    }

    /// All bits of the sample, its highest ones again below them, so that white is white.
    private func widen(_ source: UnsafeRawPointer, _ stride: Int, bits: Int, _ isBigEndian: Bool) {
        for row in 0..<height {
            for pixel in 0..<width {
                let raw = source.loadUnaligned(fromByteOffset: row * stride + 2 &* pixel, as: UInt16.self)
                let value = (isBigEndian ? raw.byteSwapped : raw) << UInt16(16 - bits)
                let full = value | value >> UInt16(bits)
                start[row * rowBytes + 2 &* pixel] = UInt8(truncatingIfNeeded: full >> 8)
                start[row * rowBytes + 2 &* pixel &+ 1] = UInt8(truncatingIfNeeded: full)
            }
        }
    }

    /// Red, green and blue, or grey, of 16 to 235 to all values.
    private func widen() {
        guard kind == .deepGrey else { return Rows.expandLuma(start, into: start, count: rowBytes * height) }
        for pixel in 0..<width * height {
            let value = UInt32(start[2 &* pixel]) << 8 | UInt32(start[2 &* pixel &+ 1])
            let above: UInt32 = min(max(value, 4096), 60_160) - 4096
            let full: UInt32 = above * 65_535 / 56_064
            start[2 &* pixel] = UInt8(truncatingIfNeeded: full >> 8)
            start[2 &* pixel &+ 1] = UInt8(truncatingIfNeeded: full)
        }
    }

    private func mix(_ source: UnsafeRawPointer) {
        guard let planarizer, let base = planes.baseAddress else { return }
        planarizer.convert(source, into: base)
        let geometry = planarizer.geometry
        let halves = geometry.sampling != .yuv444
        for row in 0..<height {
            let chroma = geometry.lumaBytes + (geometry.sampling == .yuv420 ? row / 2 : row) * geometry.chromaWidth
            let (y, cb, target) = (base + row * width, base + chroma, start + row * rowBytes)
            if let constant {
                Rows.mix(y, cb, cb + geometry.chromaBytes, into: target, count: width, halves: halves, constant)
            } else {
                Rows.mix(y, cb, cb + geometry.chromaBytes, into: target, count: width, halves: halves, matrix)
            }
        }
    }
}
