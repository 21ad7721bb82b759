import CCodecs
import CaptureGate

/// A JPEG image a frame, by libturbojpeg, from YUYV, UYVY, NV12, YU12, GREY, RGB3 and BGR3.
///
/// YUV goes into the compressor as planes, without a detour by RGB. Short frames are skipped and counted.
/// The corresponding C functions are `tjCompressFromYUVPlanes` and `tjCompress2`.
///
/// *session-bound*
public final class MJPEGEncoder: Encoder {
    public let format: VideoFormat
    public let parameters: MJPEGParameters
    public private(set) var counts = EncoderCounts()

    private let planarizer: Planarizer?
    private let layout: PictureLayout?
    private var handle: OpaquePointer?
    private var planes: UnsafeMutableBufferPointer<UInt8>
    private var capacity = 0

    public init(format: VideoFormat, parameters: MJPEGParameters = MJPEGParameters()) {
        self.format = format
        self.parameters = parameters
        layout = PictureLayout(format)
        planarizer = Planarizer(
            format, sampling: parameters.chroma == .yuv420 ? .yuv420 : nil, expands: parameters.range == .limited)
        let needsNone = planarizer?.needsNoWork ?? true
        planes = .allocate(capacity: needsNone ? 0 : planarizer?.geometry.byteCountWithScratch ?? 0)
    }

    deinit {
        cc_jpeg_free(handle)
        planes.deallocate()
    }

    public var description: CodecDescription { CodecDescription(matroskaID: "V_MJPEG") }

    public func begin() throws(CaptureError) {
        try checkParameters()
        guard layout != nil else { throw cannotEncode }
        capacity = cc_jpeg_bound(Int32(format.width), Int32(format.height), sampling)
        handle = cc_jpeg_encoder()
        guard handle != nil, capacity > 0 else { throw PacketBuffer.outOfMemory }
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

    public func finish(into packets: inout PacketBuffer) {}

    private func append(
        _ source: UnsafeRawPointer, at nanoseconds: Int64, to packets: inout PacketBuffer
    ) throws(CaptureError) {
        let duration = format.frameRate.frameNanoseconds
        try packets.append(capacity: capacity, at: nanoseconds, lasting: duration) { (room) throws(CaptureError) in
            let size = planarizer == nil ? compressRGB(source, room) : compressPlanes(source, room)
            guard size > 0 else { throw failure }
            return Int(size)
        }
    }

    private func compressPlanes(_ source: UnsafeRawPointer, _ room: UnsafeMutableRawBufferPointer) -> Int64 {
        guard let planarizer, let out = room.baseAddress else { return -1 }
        var input = planarizer.needsNoWork ? planarizer.borrowed(source) : planarizer.converted(source, planes)
        return cc_jpeg_encode(
            handle, &input, Int32(parameters.quality), out.assumingMemoryBound(to: UInt8.self), room.count)
    }

    private func compressRGB(_ source: UnsafeRawPointer, _ room: UnsafeMutableRawBufferPointer) -> Int64 {
        guard let layout, let out = room.baseAddress else { return -1 }
        let order = format.pixelFormat == .rgb24 ? CC_JPEG_RGB : CC_JPEG_BGR
        return cc_jpeg_encode_rgb(
            handle, source.assumingMemoryBound(to: UInt8.self), Int32(layout.planes[0].stride), Int32(format.width),
            Int32(format.height), Int32(order), sampling, Int32(parameters.quality),
            out.assumingMemoryBound(to: UInt8.self), room.count)
    }

    private var sampling: Int32 {
        if let planarizer { return planarizer.geometry.sampling.jpegSampling }
        return parameters.chroma == .yuv420 ? ChromaSampling.yuv420.jpegSampling : ChromaSampling.yuv422.jpegSampling
    }

    private var failure: CaptureError {
        CaptureError(.inputOutput, "libturbojpeg can't compress the picture: \(String(cString: cc_jpeg_text(handle))).")
    }
}
