import CCodecs
import CaptureGate

/// Sound as it is: little endian samples, S24_LE packed into three bytes.
///
/// *session-bound*
public final class PCMEncoder: Encoder {
    public let format: AudioFormat
    public private(set) var counts = EncoderCounts()

    public init(format: AudioFormat) {
        self.format = format
    }

    public var description: CodecDescription {
        let isFloat = format.sampleFormat == .float32
        return CodecDescription(
            matroskaID: isFloat ? "A_PCM/FLOAT/IEEE" : "A_PCM/INT/LIT", bitDepth: format.sampleFormat.significantBits)
    }

    public func begin() throws(CaptureError) { try format.checkValues() }

    public func encode(
        _ data: RawSpan, at nanoseconds: Int64, into packets: inout PacketBuffer
    ) throws(CaptureError) {
        let frames = try format.frames(in: data)
        // A packet of a quarter of a second at most keeps containers' pieces short, however much comes at once.
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

    public func finish(into packets: inout PacketBuffer) {}

    /// Bytes of a frame in a file: S24_LE is stored as S24_3LE, which every reader knows.
    static func storedBytesPerFrame(_ format: AudioFormat) -> Int {
        format.sampleFormat == .s24 ? 3 * format.channels : format.bytesPerFrame
    }

    static func store(_ data: UnsafeRawBufferPointer, _ format: SampleFormat, in room: UnsafeMutableRawBufferPointer) {
        guard let target = room.baseAddress else { return }
        if format == .s24 { Samples.pack24(data, into: target) } else { room.copyMemory(from: data) }
    }
}
