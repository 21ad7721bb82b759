import CaptureBase
import LinuxSystem

/// Motion-JPEG encoder on libjpeg-turbo: a JPEG image per frame, complete with its tables.
///
/// Large images are divided into restart intervals, which are encoded on all processors that the process may use at once. An
/// image is complete when `encode` returns, so none is held back, and its bytes do not depend on the number of processors.
///
/// Takes YUYV, UYVY, NV12, YU12, GREY, RGB3, BGR3 and their relatives. YUV enters the compressor as
/// planes, without a detour through RGB; matrix and range are converted to JFIF's (ITU-T T.871:
/// BT.601, full range). Short frames are skipped and counted.
///
/// The corresponding C functions are `jpeg_write_raw_data` and `jpeg_write_scanlines`.
///
/// *session-bound*
public final class MJPEGEncoder: TrackEncoder {
    /// Format of the camera's frames.
    public let format: VideoFormat
    /// Quality, chroma, range, quantization and codes.
    public let parameters: MJPEGParameters
    public private(set) var counts = EncoderCounts()

    private let layout: RawLayout?
    /// Fits the Huffman codes to each image alone.
    private let isSingle: Bool
    /// Number of threads for an image; `nil` for the number of processors.
    private let threads: Int?
    private var writer: JPEGWriter?

    /// Makes an encoder of a stream; `begin` checks the parameters.
    /// - Parameters:
    ///   - format: of the camera's frames.
    ///   - parameters: quality, chroma, range, quantization and codes.
    public convenience init(format: VideoFormat, parameters: MJPEGParameters = MJPEGParameters()) {
        self.init(format: format, parameters: parameters, threads: nil)
    }

    /// - Parameters:
    ///   - format: format of the camera's frames.
    ///   - parameters: quality, chroma, range, quantization and codes.
    ///   - isSingle: makes each image as small as possible, in twice the time and on one thread.
    ///   - threads: number of threads for an image, including the caller's; `nil` for the number of processors.
    package init(format: VideoFormat, parameters: MJPEGParameters, isSingle: Bool = false, threads: Int? = nil) {
        self.isSingle = isSingle
        self.threads = threads
        self.format = format
        self.parameters = parameters
        layout = RawLayout(format)
    }

    /// JPEG has no CodecPrivate; every image carries its tables.
    public var description: CodecDescription {
        CodecDescription(matroskaID: "V_MJPEG", colorimetry: format.colorimetry.asJPEG)
    }

    /// Sets up libjpeg-turbo, and starts a thread for each further processor. They end with `finish`.
    /// - Throws: `.usage` for a format without a layout here or parameters out of range;
    ///   `.inputOutput` if there is no memory.
    public func begin() throws(CaptureError) {
        try checkParameters()
        let threads = isSingle ? 1 : max(threads ?? ProcessStart.usableProcessors, 1)
        writer = try JPEGWriter(format, parameters, isSingle: isSingle, threads: threads)
        guard writer != nil else { throw cannotEncode }
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

    /// Ends the threads. Every image is complete when it is encoded.
    public func finish(into packets: inout PacketBuffer) { writer = nil }

    /// Compresses one frame into the packet buffer's own memory.
    private func append(
        _ source: UnsafeRawPointer, at nanoseconds: Int64, to packets: inout PacketBuffer
    ) throws(CaptureError) {
        guard let writer else { return }
        try packets.append(
            capacity: writer.capacity, at: nanoseconds, lasting: format.frameRate.frameNanoseconds
        ) { (room) throws(CaptureError) in try writer.write(source, into: room) }
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
                .usage, "\(format.pixelFormat) has 4:2:0 chroma, which can't be stored as 4:2:2.",
                remedies: [Remedy("Use the source's chroma.")])
        }
    }

    /// Error for formats without a layout here, with the pixel formats to choose from.
    var cannotEncode: CaptureError {
        CaptureError(
            .usage, "\(format.width)x\(format.height) \(format.pixelFormat) can't be converted to MJPEG.",
            remedies: [
                Remedy("Choose --pixel-format YUYV, NV12, YU12 or MJPG, an even width, and at most 16384x16384.")
            ])
    }
}
