import CCodecs
import CaptureBase

/// JPEG compressor for images of one size.
///
/// The corresponding C functions are `jpeg_write_raw_data` and `jpeg_write_scanlines`.
///
/// *session-bound*
final class JPEGWriter {
    /// Upper bound of an image in bytes, with the codes of T.81, annex K.
    let capacity: Int
    private let handle: OpaquePointer
    /// Keeps the codes fitted to the stream; `nil` for standard codes and for single images.
    private let fit: AdaptiveHuffman?

    /// Sets up libjpeg-turbo.
    /// - Parameters:
    ///   - width: pixels.
    ///   - height: pixels.
    ///   - sampling: chroma of the images.
    ///   - packed: format of packed pixels, RGB or BGR; `nil` for planes.
    ///   - parameters: quality, quantization and codes.
    ///   - isSingle: gives each image codes of its own, in two passes and twice the time.
    /// - Throws: `.inputOutput` if there is no memory, or the size is impossible.
    init(
        width: Int, height: Int, sampling: ChromaSampling, packed: PixelFormat?, _ parameters: MJPEGParameters,
        isSingle: Bool
    ) throws(CaptureError) {
        var setup = cc_jpeg_setup()
        setup.width = Int32(width)
        setup.height = Int32(height)
        setup.subsampling = sampling.jpegSampling
        setup.order = packed.map { Int32($0 == .rgb24 ? CC_JPEG_RGB : CC_JPEG_BGR) } ?? -1
        setup.has_dead_zone = parameters.quantization == .even ? 1 : 0
        setup.optimizes = isSingle && parameters.codes == .fitted ? 1 : 0
        capacity = cc_jpeg_bound(setup.width, setup.height, setup.subsampling)
        let steps = QuantizationTables.steps(parameters.quantization, quality: parameters.quality)
        guard capacity > 0, let handle = cc_jpeg_writer_new(&setup, steps) else { throw PacketBuffer.outOfMemory }
        self.handle = handle
        fit = parameters.codes == .fitted && !isSingle ? AdaptiveHuffman() : nil
    }

    deinit { cc_jpeg_writer_free(handle) }

    /// Compresses planes.
    /// - Parameters:
    ///   - planes: of the size and sampling that the writer was made for.
    ///   - room: `capacity` bytes.
    /// - Returns: the bytes written.
    func write(
        _ planes: cc_jpeg_planes, into room: UnsafeMutableRawBufferPointer
    ) throws(CaptureError) -> Int {
        var planes = planes
        return try image(in: room) { cc_jpeg_write(handle, &planes, $0, room.count) }
    }

    /// Compresses packed pixels.
    /// - Parameters:
    ///   - pixels: in the writer's order.
    ///   - stride: bytes from row to row.
    ///   - room: `capacity` bytes.
    /// - Returns: the bytes written.
    func write(
        _ pixels: UnsafePointer<UInt8>, stride: Int, into room: UnsafeMutableRawBufferPointer
    ) throws(CaptureError) -> Int {
        try image(in: room) { cc_jpeg_write_rgb(handle, pixels, Int32(stride), $0, room.count) }
    }

    private func image(
        in room: UnsafeMutableRawBufferPointer, _ write: (UnsafeMutablePointer<UInt8>) -> Int64
    ) throws(CaptureError) -> Int {
        guard let out = room.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return 0 }
        let size = fit.map { $0.encode(handle) { write(out) } } ?? write(out)
        guard size > 0 else { throw failure }
        return Int(size)
    }

    /// libjpeg's own text of the last error.
    private var failure: CaptureError {
        CaptureError(
            .inputOutput, "libjpeg can't compress the picture: \(String(cString: cc_jpeg_writer_text(handle))).")
    }
}

/// Quantization steps of JPEG, which divide the coefficients.
enum QuantizationTables {
    /// Scales the steps to a quality, as libjpeg's `jpeg_quality_scaling` does.
    /// - Parameters:
    ///   - quantization: kind of steps, given for quality 50.
    ///   - quality: 1 to 100.
    /// - Returns: 64 steps of luma and 64 of chroma, 1 to 255, row by row.
    static func steps(_ quantization: MJPEGParameters.Quantization, quality: Int) -> [UInt8] {
        let percent = quality < 50 ? 5000 / quality : 200 - 2 * quality
        return switch quantization {
        case .even: (0..<128).map { evenStep($0 % 64, percent) }
        case .annexK: (annexKLuma + annexKChroma).map { step((Int($0) * percent + 50) / 100) }
        }
    }

    /// Baseline JPEG has steps of 8 bits (T.81, B.2.4.1), and none of 0.
    private static func step(_ value: Int) -> UInt8 { UInt8(min(max(value, 1), 255)) }

    /// Steps by horizontal plus vertical frequency: nearly equal up to the middle, then rising.
    ///
    /// These took the fewest bytes at equal SSIM, on noisy and on smooth images, of all that were tried.
    private static let even = [20, 20, 21, 21, 23, 26, 29, 31, 36, 40, 44, 49, 53, 57, 61]

    /// Rounds up or down by position (ordered dithering), so that not all steps change at the same
    /// quality.
    private static func evenStep(_ index: Int, _ percent: Int) -> UInt8 {
        let (x, y) = (index & 7, index >> 3)
        return step((even[x + y] * percent * 128 + (2 * threshold(x, y) + 1) * 100) / 12_800)
    }

    /// Bayer's matrix of 0 to 63.
    private static func threshold(_ x: Int, _ y: Int) -> Int {
        (0..<3).reduce(0) { sum, bit in
            let (column, row) = (x >> bit & 1, y >> bit & 1)
            return sum | ((column ^ row) << 1 | row) << (4 - 2 * bit)
        }
    }

    /// ITU-T T.81, table K.1.
    private static let annexKLuma: [UInt8] = [
        16, 11, 10, 16, 24, 40, 51, 61, 12, 12, 14, 19, 26, 58, 60, 55, 14, 13, 16, 24, 40, 57, 69, 56, 14, 17, 22, 29,
        51, 87, 80, 62, 18, 22, 37, 56, 68, 109, 103, 77, 24, 35, 55, 64, 81, 104, 113, 92, 49, 64, 78, 87, 103, 121,
        120, 101, 72, 92, 95, 98, 112, 100, 103, 99,
    ]

    /// ITU-T T.81, table K.2.
    private static let annexKChroma: [UInt8] = [
        17, 18, 24, 47, 99, 99, 99, 99, 18, 21, 26, 66, 99, 99, 99, 99, 24, 26, 56, 99, 99, 99, 99, 99, 47, 66, 99, 99,
        99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99, 99,
        99, 99, 99, 99, 99, 99, 99, 99,
    ]
}

/// Huffman codes of a JPEG stream, refitted to its images as they change.
///
/// Counts the symbols in a sixty-fourth of every image and makes new codes every sixteen images,
/// which spares the second pass that libjpeg's own optimisation takes for each.
///
/// *session-bound*
final class AdaptiveHuffman {
    /// One row of blocks in so many is counted.
    private static let interval: Int32 = 64
    /// Images between two fits.
    private static let lifetime: Int32 = 16
    /// Occurrences of each symbol, per table, in the order of `cc_jpeg_writer_count`.
    private let counts: UnsafeMutablePointer<UInt32>
    private let code = HuffmanCodeBuilder()
    /// False until the first image was measured, and again after `startOver`.
    private var isFitted = false
    /// Row to count in the next image, 0 to 63: after 64 images every row was counted once.
    private var row: Int32 = 0

    init() {
        counts = .allocate(capacity: Int(CC_JPEG_COUNTS))
        counts.initialize(repeating: 0, count: Int(CC_JPEG_COUNTS))
    }

    deinit { counts.deallocate() }

    /// Encodes an image. The first one is encoded twice: once to count all its symbols, once with
    /// the fitted codes.
    /// - Parameters:
    ///   - writer: whose codes are replaced.
    ///   - write: encodes with the writer's current codes; returns the bytes written, or -errno.
    /// - Returns: as `write`.
    func encode(_ writer: OpaquePointer, _ write: () -> Int64) -> Int64 {
        if !isFitted { measure(writer, write) }
        cc_jpeg_writer_count(writer, counts, Self.interval, row)
        let size = write()
        guard size > 0 else { return startOver(writer, write) }
        row = (row + 1) % Self.interval
        if row % Self.lifetime == 0 { fit(writer) }
        if row == 0 { fade() }
        return size
    }

    /// Counts every row of blocks and fits the codes to this image alone.
    private func measure(_ writer: OpaquePointer, _ write: () -> Int64) {
        cc_jpeg_writer_count(writer, counts, 1, 0)
        guard write() > 0 else { return }
        fit(writer)
        fade()
        isFitted = true
    }

    /// Encodes with the codes of annex K, whose size is bounded.
    ///
    /// After a sudden change of scene fitted codes may be so bad that the image exceeds its buffer;
    /// the buffer is sized for those of annex K.
    private func startOver(_ writer: OpaquePointer, _ write: () -> Int64) -> Int64 {
        counts.update(repeating: 0, count: Int(CC_JPEG_COUNTS))
        isFitted = false
        cc_jpeg_writer_count(writer, nil, 1, 0)
        cc_jpeg_writer_use_standard(writer)
        return write()
    }

    /// Replaces all four codes: DC of luma and chroma, AC of luma and chroma.
    private func fit(_ writer: OpaquePointer) {
        for table in 0..<4 {
            code.fit(counts + 256 * table) { table < 2 ? Self.isDC($0) : Self.isAC($0) }
            cc_jpeg_writer_use(writer, Int32(table), code.lengths, code.symbols, code.count)
        }
    }

    /// Halves the counts every 64 images, so that a scene of long ago stops to matter.
    private func fade() {
        for index in 0..<Int(CC_JPEG_COUNTS) { counts[index] /= 2 }
    }

    /// DC categories 0 to 11: size of a difference of 8-bit samples' DC coefficients (T.81, table
    /// F.1).
    private static func isDC(_ symbol: Int) -> Bool { symbol <= 11 }

    /// AC symbols: a run of up to 15 zeros and a coefficient of 1 to 10 bits, 16 zeros (ZRL), or
    /// the end of the block (T.81, F.1.2.2).
    private static func isAC(_ symbol: Int) -> Bool {
        symbol == 0 || symbol == 0xF0 || (1...10).contains(symbol & 15)
    }
}

/// Input of libjpeg's `jpeg_write_raw_data`.
extension Planarizer {
    /// Planes of the converted frame, in `buffer`.
    package func converted(_ source: UnsafeRawPointer, _ buffer: UnsafeMutableBufferPointer<UInt8>) -> cc_jpeg_planes {
        guard let base = buffer.baseAddress else { return cc_jpeg_planes() }
        convert(source, into: base)
        let cb = base + geometry.lumaBytes
        var planes = header
        planes.plane = (UnsafePointer(base), UnsafePointer(cb), UnsafePointer(cb + geometry.chromaBytes))
        planes.stride = (Int32(geometry.width), Int32(geometry.chromaWidth), Int32(geometry.chromaWidth))
        return planes
    }

    /// The source's own planes, which need no copy.
    package func borrowed(_ source: UnsafeRawPointer) -> cc_jpeg_planes {
        let bytes = source.assumingMemoryBound(to: UInt8.self)
        var planes = header
        planes.plane = (start(0, bytes), start(1, bytes), start(2, bytes))
        planes.stride = (stride(0), stride(1), stride(2))
        return planes
    }

    /// Grey has one plane; the others are NULL.
    private func start(_ index: Int, _ bytes: UnsafePointer<UInt8>) -> UnsafePointer<UInt8>? {
        index < layout.planes.count ? bytes + layout.planes[index].offset : nil
    }

    private func stride(_ index: Int) -> Int32 {
        index < layout.planes.count ? Int32(layout.planes[index].stride) : 0
    }

    /// Size and sampling; the planes are missing.
    private var header: cc_jpeg_planes {
        var planes = cc_jpeg_planes()
        planes.width = Int32(geometry.width)
        planes.height = Int32(geometry.height)
        planes.subsampling = geometry.sampling.jpegSampling
        return planes
    }
}

/// Constants of the shim.
extension ChromaSampling {
    var jpegSampling: Int32 {
        switch self {
        case .yuv444: Int32(CC_JPEG_444)
        case .yuv422: Int32(CC_JPEG_422)
        case .yuv420: Int32(CC_JPEG_420)
        case .grey: Int32(CC_JPEG_GREY)
        }
    }
}
