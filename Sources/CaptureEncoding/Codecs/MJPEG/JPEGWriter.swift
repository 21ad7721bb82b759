import CaptureBase

/// JPEG compressor for the images of one stream, on several threads if an image has several restart intervals.
///
/// An image is whole when a call returns, and has the same bytes for any number of threads.
///
/// *session-bound*
final class JPEGWriter {
    /// Upper bound of an image in bytes, with the codes of T.81, annex K.
    var capacity: Int { compressors.capacity }
    private let compressors: JPEGCompressors
    /// Keeps the codes fitted to the stream; `nil` for standard codes and for single images.
    private let fit: AdaptiveHuffman?
    /// `nil` on one processor, and for small images.
    private let threads: WorkerThreads?
    private var isFirst = true

    /// Sets up libjpeg-turbo.
    /// - Parameters:
    ///   - format: format of the camera's frames.
    ///   - parameters: quality, chroma, range, quantization and codes.
    ///   - isSingle: gives each image its own codes, in two passes and twice the time.
    ///   - threads: number of threads for an image, including the caller's.
    /// - Throws: `.inputOutput` if there is no memory, or the size is impossible.
    /// - Returns: `nil` for a format without a layout here.
    init?(
        _ format: VideoFormat, _ parameters: MJPEGParameters, isSingle: Bool = false, threads: Int = 1
    ) throws(CaptureError) {
        let isFitted = parameters.codes == .fitted
        // Codes that fit a whole image need all of its symbols first, so that it can't be divided.
        guard let source = JPEGSource(format, parameters, isWhole: isSingle, threads: threads) else { return nil }
        let used = min(threads, source.intervals.count)
        compressors = try JPEGCompressors(source, parameters, optimizes: isSingle && isFitted, threads: used)
        fit = isFitted && !isSingle ? AdaptiveHuffman() : nil
        self.threads = used > 1 ? WorkerThreads(sharing: compressors, threads: used) : nil
    }

    /// Compresses a frame.
    /// - Parameters:
    ///   - frame: as many bytes as the format's layout has.
    ///   - room: `capacity` bytes.
    /// - Returns: the bytes written.
    func write(
        _ frame: UnsafeRawPointer, into room: UnsafeMutableRawBufferPointer
    ) throws(CaptureError) -> Int {
        guard let out = room.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return 0 }
        compressors.prepare(frame, out, capacity: room.count)
        if isFirst, threads != nil { compressors.reserve() }
        isFirst = false
        let size = fit.map { $0.encode(compressors) { image() } } ?? image()
        guard size > 0 else { throw compressors.failure }
        return Int(size)
    }

    /// - Returns: the bytes written, or -errno.
    private func image() -> Int64 {
        if let threads {
            threads.perform(compressors.count)
        } else {
            for interval in 0..<compressors.count { compressors.perform(interval, on: 0) }
        }
        return compressors.join()
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
    /// Of all steps that were tried, these took the fewest bytes at equal SSIM, on noisy and on smooth images.
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
    /// Distance of the rows of blocks that are counted.
    private static let interval = 64
    /// Images between two fits.
    private static let lifetime = 16
    /// Occurrences of each symbol, per table, in the order of `cc_jpeg_writer_count`.
    private let counts: UnsafeMutablePointer<UInt32>
    private let code = HuffmanCodeBuilder()
    /// False until the first image was measured, and again after `startOver`.
    private var isFitted = false
    /// Row to count in the next image, 0 to 63: after 64 images every row was counted once.
    private var row = 0

    init() {
        counts = .allocate(capacity: JPEGCompressors.countedSymbols)
        counts.initialize(repeating: 0, count: JPEGCompressors.countedSymbols)
    }

    deinit { counts.deallocate() }

    /// Encodes an image. The first one is encoded twice: once to count all its symbols, once with
    /// the fitted codes.
    /// - Parameters:
    ///   - compressors: whose codes are replaced.
    ///   - write: encodes with the current codes; returns the bytes written, or -errno.
    /// - Returns: as `write`.
    func encode(_ compressors: JPEGCompressors, _ write: () -> Int64) -> Int64 {
        if !isFitted { measure(compressors, write) }
        compressors.count(in: counts, every: Self.interval, from: row)
        let size = write()
        guard size > 0 else { return startOver(compressors, write) }
        row = (row + 1) % Self.interval
        if row % Self.lifetime == 0 { fit(compressors) }
        if row == 0 { fade() }
        return size
    }

    /// Counts every row of blocks and fits the codes to this image alone.
    private func measure(_ compressors: JPEGCompressors, _ write: () -> Int64) {
        compressors.count(in: counts, every: 1, from: 0)
        guard write() > 0 else { return }
        fit(compressors)
        fade()
        isFitted = true
    }

    /// Encodes with the codes of annex K, whose size is bounded.
    ///
    /// After a sudden change of scene fitted codes may be so bad that the image exceeds its buffer;
    /// the buffer is sized for those of annex K.
    private func startOver(_ compressors: JPEGCompressors, _ write: () -> Int64) -> Int64 {
        counts.update(repeating: 0, count: JPEGCompressors.countedSymbols)
        isFitted = false
        compressors.count(in: nil, every: 1, from: 0)
        compressors.useStandardCodes()
        return write()
    }

    /// Replaces all four codes: DC of luma and chroma, AC of luma and chroma.
    private func fit(_ compressors: JPEGCompressors) {
        for table in 0..<4 {
            code.fit(counts + 256 * table) { table < 2 ? Self.isDC($0) : Self.isAC($0) }
            compressors.use(code, as: table)
        }
    }

    /// Halves the counts every 64 images, so that a scene of long ago stops to matter.
    private func fade() {
        for index in 0..<JPEGCompressors.countedSymbols { counts[index] /= 2 }
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
