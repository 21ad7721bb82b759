import CCodecs
import CaptureGate

/// Makes pictures of one size into JPEG images.
///
/// The corresponding C functions are `jpeg_write_raw_data` and `jpeg_write_scanlines`.
///
/// *session-bound*
final class JPEGWriter {
    /// The most an image can need, bytes.
    let capacity: Int
    private let handle: OpaquePointer
    private let fit: AdaptiveHuffman?

    /// - Parameters:
    ///   - order: of packed pixels, `CC_JPEG_RGB` or `CC_JPEG_BGR`; -1 for planes.
    ///   - isSingle: codes of its own for each image, in twice the time.
    init(
        width: Int, height: Int, sampling: Int32, order: Int32, _ parameters: MJPEGParameters, isSingle: Bool
    ) throws(CaptureError) {
        var setup = cc_jpeg_setup()
        setup.width = Int32(width)
        setup.height = Int32(height)
        setup.subsampling = sampling
        setup.order = order
        setup.has_dead_zone = parameters.quantization == .even ? 1 : 0
        setup.optimizes = isSingle && parameters.codes == .fitted ? 1 : 0
        capacity = cc_jpeg_bound(setup.width, setup.height, sampling)
        let steps = QuantizationTables.steps(parameters.quantization, quality: parameters.quality)
        guard capacity > 0, let handle = cc_jpeg_writer_new(&setup, steps) else { throw PacketBuffer.outOfMemory }
        self.handle = handle
        fit = parameters.codes == .fitted && !isSingle ? AdaptiveHuffman() : nil
    }

    deinit { cc_jpeg_writer_free(handle) }

    /// - Parameter room: of `capacity` bytes.
    /// - Returns: the bytes written.
    func write(
        _ planes: cc_jpeg_planes, into room: UnsafeMutableRawBufferPointer
    ) throws(CaptureError) -> Int {
        var planes = planes
        return try image(in: room) { cc_jpeg_write(handle, &planes, $0, room.count) }
    }

    /// - Parameter stride: bytes from row to row.
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

    private var failure: CaptureError {
        CaptureError(
            .inputOutput, "libjpeg can't compress the picture: \(String(cString: cc_jpeg_writer_text(handle))).")
    }
}
