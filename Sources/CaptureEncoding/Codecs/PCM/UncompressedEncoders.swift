import CaptureBase

/// PCM as little-endian samples; S24_LE is packed into three bytes.
///
/// ALSA's S24_LE keeps 24 bits in four bytes, of which the last has no meaning; WAV and Matroska's
/// `A_PCM/INT/LIT` know three bytes.
///
/// *session-bound*
public final class PCMEncoder: TrackEncoder {
    /// Format of the device's samples.
    public let format: AudioFormat
    public private(set) var counts = EncoderCounts()

    /// Makes an encoder of a device's samples.
    /// - Parameter format: of the device's samples.
    public init(format: AudioFormat) {
        self.format = format
    }

    /// Integers and floats have a CodecID each; the depth tells integers apart.
    public var description: CodecDescription {
        let isFloat = format.sampleFormat == .float32
        return CodecDescription(
            matroskaID: isFloat ? "A_PCM/FLOAT/IEEE" : "A_PCM/INT/LIT", bitDepth: format.sampleFormat.significantBits)
    }

    /// - Throws: `.usage` for a channel count or rate that no container holds.
    public func begin() throws(CaptureError) { try format.checkValues() }

    public func encode(
        _ data: RawSpan, at nanoseconds: Int64, into packets: inout PacketBuffer
    ) throws(CaptureError) {
        // Refuses data that does not end with a complete frame: everything after it would change channels.
        let frames = try format.frames(in: data)
        // Packets of a quarter of a second at most keep clusters and writes short, however much arrives at once.
        let most = max(format.sampleRate / 4, 1)
        try data.withUnsafeBytes { (data) throws(CaptureError) in
            for first in stride(from: 0, to: frames, by: most) {
                let last = min(first + most, frames)
                let part = data[first * format.bytesPerFrame..<last * format.bytesPerFrame]
                let time = nanoseconds + format.nanoseconds(ofFrames: Int64(first))
                try append(UnsafeRawBufferPointer(rebasing: part), last - first, at: time, to: &packets)
            }
        }
    }

    /// Stores one packet.
    private func append(
        _ data: UnsafeRawBufferPointer, _ frames: Int, at nanoseconds: Int64, to packets: inout PacketBuffer
    ) throws(CaptureError) {
        let size = frames * Self.storedBytesPerFrame(format)
        let duration = format.nanoseconds(ofFrames: Int64(frames))
        try packets.append(capacity: size, at: nanoseconds, lasting: duration) { room in
            Self.store(data, format.sampleFormat, in: room)
            return size
        }
        counts.frames += UInt64(frames)
        counts.packets += 1
        counts.bytes += UInt64(size)
    }

    /// PCM holds nothing back.
    public func finish(into packets: inout PacketBuffer) {}

    /// Bytes of a frame in a file: S24_LE is stored as S24_3LE, which every reader knows.
    static func storedBytesPerFrame(_ format: AudioFormat) -> Int {
        format.sampleFormat == .s24 ? 3 * format.channels : format.bytesPerFrame
    }

    /// Copies or packs samples into a packet.
    package static func store(
        _ data: UnsafeRawBufferPointer, _ format: SampleFormat, in room: UnsafeMutableRawBufferPointer
    ) {
        guard let target = room.baseAddress else { return }
        if format == .s24 { Samples.pack24(data, into: target) } else { room.copyMemory(from: data) }
    }
}

/// Uncompressed video: unchanged frames, without row padding.
///
/// *session-bound*
public final class RawVideoEncoder: PassthroughEncoder {
    /// Format of the camera's frames.
    public let format: VideoFormat
    public private(set) var counts = EncoderCounts()

    private let layout: RawLayout?
    /// The frame lies in its buffer without padding, and can be stored from there.
    private let isPacked: Bool

    /// Makes an encoder of raw frames; `begin` checks the format.
    /// - Parameter format: of the camera's frames.
    public init(format: VideoFormat) {
        self.format = format
        layout = RawLayout(format)
        isPacked = layout?.isPacked ?? false
    }

    /// `V_UNCOMPRESSED`; players find the pixel format by its FourCC.
    public var description: CodecDescription {
        CodecDescription(
            matroskaID: "V_UNCOMPRESSED", uncompressedFourCC: Self.fourCC[format.pixelFormat] ?? [],
            colorimetry: format.colorimetry)
    }

    /// - Throws: `.usage` for a pixel format that players have no FourCC for; the remedy lists the
    ///   others.
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
        // A short frame would leave stale memory at its end.
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

    package func pass(_ data: RawSpan) -> Range<Int>? {
        guard isPacked, let layout, data.byteCount >= layout.byteCount else { return nil }
        count(layout)
        return 0..<layout.packedByteCount
    }

    private func count(_ layout: RawLayout) {
        counts.frames += 1
        counts.packets += 1
        counts.bytes += UInt64(layout.packedByteCount)
    }

    /// Raw video holds nothing back.
    public func finish(into packets: inout PacketBuffer) {}

    /// Codes that players know: AVI's, which differ from V4L2's for YUYV, YU12 and GREY.
    private static let fourCC: [PixelFormat: [UInt8]] = [
        .yuyv: Array("YUY2".utf8), .uyvy: Array("UYVY".utf8), .nv12: Array("NV12".utf8),
        .yuv420: Array("I420".utf8), .grey: Array("Y800".utf8),
    ]
}

/// Copy without padding.
extension RawLayout {
    /// Copies the planes without their padding.
    /// - Parameters:
    ///   - source: `byteCount` bytes.
    ///   - room: at least `packedByteCount` bytes.
    /// - Returns: the bytes written; 0 if `room` is too small.
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
