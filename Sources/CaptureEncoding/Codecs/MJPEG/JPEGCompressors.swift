import CCodecs
import CaptureBase

/// libjpeg's compressors of one stream, one for each thread that works on its images.
///
/// Each makes restart intervals of an image, as whole images in a part of its room; `join` puts them together. All have the
/// same codes, and what they count is added up, so that it does not matter which thread made which interval.
///
/// The corresponding C functions are `jpeg_write_raw_data` and `jpeg_write_scanlines`.
///
/// *session-bound*, but for ``perform(_:on:)``
// Unchecked: threads write to parts of the memory that are their own, or their interval's, and only while the owner waits
// for them in WorkerThreads, whose lock orders both.
final class JPEGCompressors: SharedWork, @unchecked Sendable {
    /// Numbers that are counted: those of four codes, in the order of `cc_jpeg_writer_count`.
    static let countedSymbols = Int(CC_JPEG_COUNTS)

    /// Upper bound of an image in bytes, with the codes of T.81, annex K.
    let capacity: Int
    private let source: JPEGSource
    private let handles: [OpaquePointer]
    /// Upper bound of an interval's own image in bytes.
    private let stride: Int
    /// Size of each interval's image; 0 or -errno for one that failed.
    private let sizes: UnsafeMutablePointer<Int64>
    /// Thread that made each interval.
    private let makers: UnsafeMutablePointer<Int>
    /// Occurrences of each symbol, for each thread.
    private let counts: UnsafeMutablePointer<UInt32>
    /// Rows to count: every nth, from one on; `nil` for none.
    private var counting: (every: Int, from: Int)?
    private var total: UnsafeMutablePointer<UInt32>?
    /// Image at hand: its frame, and the memory it is written to.
    private var frame: UnsafeRawPointer?
    private var out: UnsafeMutablePointer<UInt8>?
    private var outBytes = 0

    /// Intervals of an image.
    var count: Int { source.intervals.count }

    /// - Parameters:
    ///   - source: source of the frames.
    ///   - parameters: quality, quantization and codes.
    ///   - optimizes: gives each image its own codes, in two passes.
    ///   - threads: 1 or more.
    /// - Throws: `.inputOutput` if there is no memory, or the size is impossible.
    init(
        _ source: JPEGSource, _ parameters: MJPEGParameters, optimizes: Bool, threads: Int
    ) throws(CaptureError) {
        self.source = source
        var setup = cc_jpeg_setup()
        setup.width = Int32(source.width)
        setup.height = Int32(source.intervals.height)
        setup.subsampling = source.sampling.jpegSampling
        setup.order = source.order
        setup.has_dead_zone = parameters.quantization == .even ? 1 : 0
        setup.optimizes = optimizes ? 1 : 0
        setup.restart_rows = Int32(source.intervals.rowsOfUnits)
        stride = cc_jpeg_bound(setup.width, setup.height, setup.subsampling)
        capacity = source.intervals.count * stride
        let steps = QuantizationTables.steps(parameters.quantization, quality: parameters.quality)
        var handles: [OpaquePointer] = []
        while capacity > 0, handles.count < threads, let handle = cc_jpeg_writer_new(&setup, steps) {
            handles.append(handle)
        }
        self.handles = handles
        sizes = .allocate(capacity: source.intervals.count)
        sizes.initialize(repeating: 0, count: source.intervals.count)
        makers = .allocate(capacity: source.intervals.count)
        makers.initialize(repeating: 0, count: source.intervals.count)
        counts = .allocate(capacity: threads * Self.countedSymbols)
        counts.initialize(repeating: 0, count: threads * Self.countedSymbols)
        guard handles.count == threads else { throw PacketBuffer.outOfMemory }
    }

    deinit {
        for handle in handles { cc_jpeg_writer_free(handle) }
        sizes.deallocate()
        makers.deallocate()
        counts.deallocate()
    }

    // MARK: Codes

    /// Counts the coded symbols in some rows of MCUs from now on.
    /// - Parameters:
    ///   - total: receives the counts of each image, in the order of `cc_jpeg_writer_count`; `nil` ends that.
    ///   - interval: distance of the counted rows.
    ///   - first: the first of them.
    func count(in total: UnsafeMutablePointer<UInt32>?, every interval: Int, from first: Int) {
        self.total = total
        counting = total == nil ? nil : (interval, first)
    }

    /// Replaces a code.
    /// - Parameters:
    ///   - code: for all symbols that may come.
    ///   - table: in the order of `cc_jpeg_writer_count`.
    func use(_ code: HuffmanCodeBuilder, as table: Int) {
        // By index: without the optimizer, an iterator allocates memory.
        for thread in 0..<handles.count {
            cc_jpeg_writer_use(handles[thread], Int32(table), code.lengths, code.symbols, code.count)
        }
    }

    /// Replaces all codes by those of T.81, annex K.
    func useStandardCodes() { for handle in handles { cc_jpeg_writer_use_standard(handle) } }

    // MARK: Images

    /// Sets the image to make.
    /// - Parameters:
    ///   - frame: valid until it is made.
    ///   - out: receives the image.
    ///   - capacity: of `out` in bytes.
    func prepare(_ frame: UnsafeRawPointer, _ out: UnsafeMutablePointer<UInt8>, capacity: Int) {
        (self.frame, self.out, outBytes) = (frame, out, capacity)
    }

    /// Makes each thread's compressor code the largest interval of the present image, so that it allocates nothing later: a thread
    /// may get its first piece after hundreds of images.
    func reserve() { for thread in 0..<handles.count { perform(0, on: thread) } }

    /// Makes one interval.
    func perform(_ interval: Int, on thread: Int) {
        guard let frame, let out else { return }
        if let counting {
            // Rows are numbered from the image's start.
            let first = (counting.from - source.intervals.firstUnit(of: interval)) % counting.every
            cc_jpeg_writer_count(
                handles[thread], counts + thread * Self.countedSymbols, Int32(counting.every),
                Int32(first < 0 ? first + counting.every : first))
        } else {
            cc_jpeg_writer_count(handles[thread], nil, 1, 0)
        }
        makers[interval] = thread
        // libjpeg writes a byte before it checks for the end of its space.
        let start = interval * stride
        sizes[interval] =
            start < outBytes
            ? source.compress(
                interval, of: frame, on: thread, by: handles[thread], into: out + start,
                capacity: min(stride, outBytes - start))
            : 0
    }

    /// Puts the image together from its intervals.
    /// - Returns: the bytes written, or -errno of the first interval that failed.
    func join() -> Int64 {
        gather()
        for interval in 0..<count where sizes[interval] <= 0 { return sizes[interval] }
        guard let out else { return 0 }
        return Int64(source.intervals.join(out, stride: stride, sizes: sizes))
    }

    /// Adds up what the threads have counted.
    private func gather() {
        guard let total else { return }
        for index in 0..<handles.count * Self.countedSymbols {
            total[index % Self.countedSymbols] &+= counts[index]
            counts[index] = 0
        }
    }

    /// libjpeg's own text of the last image's error.
    var failure: CaptureError {
        let failed = (0..<count).first { sizes[$0] <= 0 } ?? 0
        let text = String(cString: cc_jpeg_writer_text(handles[makers[failed]]))
        return CaptureError(.inputOutput, "libjpeg can't compress the frame: \(text).")
    }
}

/// Frames of a camera as input of libjpeg, one restart interval at a time.
///
/// YUV is passed as planes, without a detour through RGB, and converted part by part, so that converted data is still in the cache
/// when libjpeg reads it. Planes in JFIF's format, and RGB, are read in place.
///
/// *session-bound*; threads may compress intervals at once, each with its own number
final class JPEGSource {
    /// Size of the images in pixels.
    let (width, height): (Int, Int)
    /// Chroma sampling of the images; RGB is stored as 4:2:2 unless 4:2:0 is requested.
    let sampling: ChromaSampling
    /// Division of the images.
    let intervals: RestartIntervals
    /// Order of packed pixels: `CC_JPEG_RGB` or `CC_JPEG_BGR`; -1 for planes.
    let order: Int32

    /// Converters of YUV and grey, one for each interval; none for RGB, which libjpeg converts itself.
    private let planarizers: [Planarizer]
    /// Bytes from row to row of packed pixels.
    private let stride: Int
    /// Expands limited-range RGB (16 to 235) to full range, for which libjpeg takes it.
    private let widensRGB: Bool
    /// Memory for converted intervals, one part for each thread; empty if the source's own samples will do.
    private let converted: UnsafeMutableBufferPointer<UInt8>
    private let convertedBytes: Int

    /// - Parameters:
    ///   - format: of the camera's frames.
    ///   - parameters: of the images.
    ///   - isWhole: leaves each image in one restart interval.
    ///   - threads: that compress at once.
    /// - Returns: `nil` for a format without a layout here.
    init?(_ format: VideoFormat, _ parameters: MJPEGParameters, isWhole: Bool, threads: Int) {
        guard let layout = RawLayout(format) else { return nil }
        let halves = parameters.chroma == .yuv420
        let planarizer = Planarizer(format.of(parameters.range), sampling: halves ? .yuv420 : nil, to: .jpeg)
        (width, height) = (format.width, format.height)
        sampling = planarizer?.geometry.sampling ?? (halves ? .yuv420 : .yuv422)
        let intervals = RestartIntervals(width: width, height: height, sampling: sampling, isWhole: isWhole)
        self.intervals = intervals
        stride = layout.planes.first?.stride ?? 0
        planarizers = planarizer.map { whole in (0..<intervals.count).map { whole.part(intervals.rows(of: $0)) } } ?? []
        order = planarizer == nil ? Int32(format.pixelFormat == .rgb24 ? CC_JPEG_RGB : CC_JPEG_BGR) : -1
        widensRGB = planarizer == nil && format.colorimetry.range == .limited
        let needsNone = planarizer?.needsNoWork ?? !widensRGB
        let needed = planarizers.first?.geometry.byteCountWithScratch ?? 3 * width * intervals.height
        convertedBytes = needsNone ? 0 : needed
        converted = .allocate(capacity: threads * convertedBytes)
    }

    deinit { converted.deallocate() }

    /// Compresses one interval to a separate image.
    /// - Parameters:
    ///   - interval: 0 upwards.
    ///   - frame: a whole frame of the camera.
    ///   - thread: number of the thread, 0 upwards.
    ///   - writer: compressor of the thread.
    ///   - out: receives the image.
    ///   - capacity: bytes of `out`.
    /// - Returns: the bytes written, or -errno.
    func compress(
        _ interval: Int, of frame: UnsafeRawPointer, on thread: Int, by writer: OpaquePointer,
        into out: UnsafeMutablePointer<UInt8>, capacity: Int
    ) -> Int64 {
        let rows = intervals.rows(of: interval)
        cc_jpeg_writer_set_height(writer, Int32(rows.count))
        let memory = converted.baseAddress.map { $0 + thread * convertedBytes }
        guard planarizers.isEmpty else {
            let planarizer = planarizers[interval]
            var planes = planarizer.needsNoWork ? planarizer.borrowed(frame) : planarizer.converted(frame, memory)
            return cc_jpeg_write(writer, &planes, out, capacity)
        }
        let pixels = (frame + rows.lowerBound * stride).assumingMemoryBound(to: UInt8.self)
        guard widensRGB, let memory else { return cc_jpeg_write_rgb(writer, pixels, Int32(stride), out, capacity) }
        let rowBytes = 3 * width
        // Rows without padding, of full range.
        for row in 0..<rows.count {
            Rows.expandLuma(pixels + row * stride, into: memory + row * rowBytes, count: rowBytes)
        }
        return cc_jpeg_write_rgb(writer, memory, Int32(rowBytes), out, capacity)
    }
}

/// Input of libjpeg's `jpeg_write_raw_data`.
extension Planarizer {
    /// Planes of the converted frame, in `buffer`.
    package func converted(_ source: UnsafeRawPointer, _ buffer: UnsafeMutablePointer<UInt8>?) -> cc_jpeg_planes {
        guard let base = buffer else { return cc_jpeg_planes() }
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
