import CaptureBase

/// Motion-JPEG encoder on libjpeg-turbo: a JPEG image per frame, complete with its tables.
///
/// Takes YUYV, UYVY, NV12, YU12, GREY, RGB3, BGR3 and their relatives. YUV enters the compressor as
/// planes, without a detour through RGB; matrix and range are converted to JFIF's (ITU-T T.871:
/// BT.601, full range). Short frames are skipped and counted.
///
/// The corresponding C functions are `jpeg_write_raw_data` and `jpeg_write_scanlines`.
///
/// *session-bound*
public final class MJPEGEncoder: Encoder {
    /// Format of the camera's frames.
    public let format: VideoFormat
    /// Quality, chroma, range, quantization and codes.
    public let parameters: MJPEGParameters
    public private(set) var counts = EncoderCounts()

    /// Converts YUV and grey; `nil` for RGB, which libjpeg converts itself.
    private let planarizer: Planarizer?
    private let layout: RawLayout?
    /// Bytes from row to row of packed pixels.
    private let stride: Int
    /// Fits the Huffman codes to each image alone.
    private let isSingle: Bool
    /// Expands limited-range RGB (16 to 235) to full range, for which libjpeg takes it.
    private let widensRGB: Bool
    private var writer: JPEGWriter?
    /// Converted frame; empty if the source's own planes will do.
    private var planes: UnsafeMutableBufferPointer<UInt8>

    /// Makes an encoder of a stream; `begin` checks the parameters.
    /// - Parameters:
    ///   - format: of the camera's frames.
    ///   - parameters: quality, chroma, range, quantization and codes.
    public convenience init(format: VideoFormat, parameters: MJPEGParameters = MJPEGParameters()) {
        self.init(format: format, parameters: parameters, isSingle: false)
    }

    /// - Parameters:
    ///   - format: of the camera's frames.
    ///   - parameters: quality, chroma, range, quantization and codes.
    ///   - isSingle: makes each image as small as it can be, in twice the time.
    init(format: VideoFormat, parameters: MJPEGParameters, isSingle: Bool) {
        self.isSingle = isSingle
        self.format = format
        self.parameters = parameters
        layout = RawLayout(format)
        stride = layout?.planes.first?.stride ?? 0
        planarizer = Planarizer(
            format.of(parameters.range), sampling: parameters.chroma == .yuv420 ? .yuv420 : nil, to: .jpeg)
        widensRGB = layout != nil && planarizer == nil && format.colorimetry.range == .limited
        let needsNone = planarizer?.needsNoWork ?? true
        let needed = widensRGB ? 3 * format.width * format.height : planarizer?.geometry.byteCountWithScratch ?? 0
        planes = .allocate(capacity: needsNone && !widensRGB ? 0 : needed)
    }

    deinit { planes.deallocate() }

    /// JPEG has no CodecPrivate; every image carries its tables.
    public var description: CodecDescription {
        CodecDescription(matroskaID: "V_MJPEG", colorimetry: format.colorimetry.asJPEG)
    }

    /// Sets up libjpeg-turbo.
    /// - Throws: `.usage` for a format without a layout here or parameters out of range;
    ///   `.inputOutput` if there is no memory.
    public func begin() throws(CaptureError) {
        try checkParameters()
        guard layout != nil else { throw cannotEncode }
        let isPacked = planarizer == nil
        writer = try JPEGWriter(
            width: format.width, height: format.height, sampling: sampling, packed: isPacked ? format.pixelFormat : nil,
            parameters, isSingle: isSingle)
    }

    public func encode(
        _ data: RawSpan, at nanoseconds: Int64, into packets: inout PacketBuffer
    ) throws(CaptureError) {
        guard let layout, data.byteCount >= layout.byteCount else {
            counts.skipped += 1
            return
        }
        let before = packets.count
        try data.withUnsafeBytes { (data) throws(CaptureError) in
            guard let source = data.baseAddress else { return }
            try append(source, at: nanoseconds, to: &packets)
        }
        guard packets.count > before else { return }
        counts.frames += 1
        counts.packets += 1
        counts.bytes += UInt64(packets.byteCount(of: before))
    }

    /// Every image is complete when it is encoded.
    public func finish(into packets: inout PacketBuffer) {}

    /// Compresses one frame into the packet buffer's own memory.
    private func append(
        _ source: UnsafeRawPointer, at nanoseconds: Int64, to packets: inout PacketBuffer
    ) throws(CaptureError) {
        guard let writer else { return }
        let duration = format.frameRate.frameNanoseconds
        try packets.append(
            capacity: writer.capacity, at: nanoseconds, lasting: duration
        ) { (room) throws(CaptureError) in
            guard let planarizer else {
                // libjpeg converts RGB by JFIF's matrix itself.
                let pixels = widensRGB ? widened(source) : source.assumingMemoryBound(to: UInt8.self)
                return try writer.write(pixels, stride: widensRGB ? 3 * format.width : stride, into: room)
            }
            let input = planarizer.needsNoWork ? planarizer.borrowed(source) : planarizer.converted(source, planes)
            return try writer.write(input, into: room)
        }
    }

    /// Rows without padding, of full range.
    private func widened(_ source: UnsafeRawPointer) -> UnsafePointer<UInt8> {
        guard let target = planes.baseAddress else { return source.assumingMemoryBound(to: UInt8.self) }
        let rowBytes = 3 * format.width
        for row in 0..<format.height {
            let pixels = (source + row * stride).assumingMemoryBound(to: UInt8.self)
            Rows.expandLuma(pixels, into: target + row * rowBytes, count: rowBytes)
        }
        return UnsafePointer(target)
    }

    /// Chroma sampling of the images; RGB is stored as 4:2:2 unless 4:2:0 is asked for.
    private var sampling: ChromaSampling {
        if let planarizer { return planarizer.geometry.sampling }
        return parameters.chroma == .yuv420 ? .yuv420 : .yuv422
    }
}

extension MJPEGEncoder {
    /// Checks the parameters that the quantization tables and the planes depend on.
    func checkParameters() throws(CaptureError) {
        guard (1...100).contains(parameters.quality) else {
            throw CaptureError(
                .usage, "JPEG has no quality \(parameters.quality).",
                remedies: [Remedy("Choose 1 (small) to 100 (large).")])
        }
        // Chroma rows that a 4:2:0 source does not have would only be repeated ones.
        let is420 = PixelArrangement(format.pixelFormat)?.sampling == .yuv420
        if is420, parameters.chroma == .yuv422 {
            throw CaptureError(
                .usage, "\(format.pixelFormat) has the colour of 4:2:0; there is none to make 4:2:2 of.",
                remedies: [Remedy("Leave the chroma as the source has it.")])
        }
    }

    /// Error for formats without a layout here, with the pixel formats to choose from.
    var cannotEncode: CaptureError {
        CaptureError(
            .usage, "\(format.width)x\(format.height) \(format.pixelFormat) can't be made MJPEG.",
            remedies: [
                Remedy("Choose --pixel-format YUYV, NV12, YU12 or MJPG, of an even width and at most 16384x16384.")
            ])
    }
}
