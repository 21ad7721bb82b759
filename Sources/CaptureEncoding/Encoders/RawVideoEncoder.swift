import CaptureGate

/// Raw pictures as they are, their rows without padding.
///
/// *session-bound*
public final class RawVideoEncoder: PassthroughEncoder {
    public let format: VideoFormat
    public private(set) var counts = EncoderCounts()

    private let layout: RawFrameLayout?
    private let isPacked: Bool

    public init(format: VideoFormat) {
        self.format = format
        layout = RawFrameLayout(format)
        isPacked = layout?.isPacked ?? false
    }

    public var description: CodecDescription {
        CodecDescription(
            matroskaID: "V_UNCOMPRESSED", uncompressedFourCC: Self.fourCC[format.pixelFormat] ?? [],
            colorimetry: format.colorimetry)
    }

    public func begin() throws(CaptureError) {
        guard layout != nil, Self.fourCC[format.pixelFormat] != nil else {
            throw CaptureError(
                .usage, "\(format.width)x\(format.height) \(format.pixelFormat) can't be stored uncompressed.",
                remedies: [Remedy("Choose --pixel-format YUYV, UYVY, NV12, YU12 or GREY.")])
        }
    }

    public func encode(
        _ data: RawSpan, at nanoseconds: Int64, into packets: inout PacketBuffer
    ) throws(CaptureError) {
        guard let layout, data.byteCount >= layout.byteCount else {
            counts.skipped += 1
            return
        }
        let duration = format.frameRate.frameNanoseconds
        try data.withUnsafeBytes { (data) throws(CaptureError) in
            guard let source = data.baseAddress else { return }
            try packets.append(capacity: layout.packedByteCount, at: nanoseconds, lasting: duration) { room in
                layout.pack(source, into: room)
            }
        }
        count(layout)
    }

    func pass(_ data: RawSpan) -> Range<Int>? {
        guard isPacked, let layout, data.byteCount >= layout.byteCount else { return nil }
        count(layout)
        return 0..<layout.packedByteCount
    }

    private func count(_ layout: RawFrameLayout) {
        counts.frames += 1
        counts.packets += 1
        counts.bytes += UInt64(layout.packedByteCount)
    }

    public func finish(into packets: inout PacketBuffer) {}

    /// The codes that players know the formats by: those of AVI.
    private static let fourCC: [PixelFormat: [UInt8]] = [
        .yuyv: Array("YUY2".utf8), .uyvy: Array("UYVY".utf8), .nv12: Array("NV12".utf8),
        .yuv420: Array("I420".utf8), .grey: Array("Y800".utf8),
    ]
}

extension RawFrameLayout {
    /// Copies the picture without its padding.
    /// - Returns: the bytes written.
    func pack(_ source: UnsafeRawPointer, into room: UnsafeMutableRawBufferPointer) -> Int {
        guard var target = room.baseAddress, room.count >= packedByteCount else { return 0 }
        for index in planes.indices {
            let plane = planes[index]
            if plane.stride == plane.rowBytes {
                target.copyMemory(from: source + plane.offset, byteCount: plane.rowBytes * plane.rows)
                target += plane.rowBytes * plane.rows
                continue
            }
            for row in 0..<plane.rows {
                target.copyMemory(from: source + plane.offset + row * plane.stride, byteCount: plane.rowBytes)
                target += plane.rowBytes
            }
        }
        return packedByteCount
    }
}
