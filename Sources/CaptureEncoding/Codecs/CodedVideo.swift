import CaptureBase

/// Video that is coded once for several outputs: what the container of each has to know of it.
///
/// *thread-safe*
package struct CodedVideo: Hashable, Sendable {
    /// The encoder's, once it is begun.
    package let description: CodecDescription

    package init(_ description: CodecDescription) { self.description = description }

    /// Appends a packet in the form of coded video tracks: after a byte that says whether decoding can start at it.
    package static func append(_ packet: UnsafeRawBufferPointer, isKey: Bool, to bytes: inout [UInt8]) {
        bytes.append(isKey ? 1 : 0)
        bytes.append(contentsOf: packet)
    }
}

/// Passthrough of packets that another encoder made. An empty frame represents one that the encoder skipped.
///
/// *session-bound*
final class CodedVideoEncoder: TrackEncoder {
    let description: CodecDescription
    private(set) var counts = EncoderCounts()
    private let duration: Int64

    init(_ coded: CodedVideo, of format: VideoFormat) {
        description = coded.description
        duration = format.frameRate.frameNanoseconds
    }

    func begin() {}

    func encode(_ data: RawSpan, at nanoseconds: Int64, into packets: inout PacketBuffer) throws(CaptureError) {
        try data.withUnsafeBytes { (bytes) throws(CaptureError) in
            guard bytes.count > 1 else {
                counts.skipped += 1
                return
            }
            let packet = UnsafeRawBufferPointer(rebasing: bytes[1...])
            try packets.append(capacity: packet.count, at: nanoseconds, lasting: duration, isKey: bytes[0] != 0) {
                $0.copyMemory(from: packet)
                return packet.count
            }
            counts.frames += 1
            counts.packets += 1
            counts.bytes += UInt64(packet.count)
        }
    }

    func finish(into packets: inout PacketBuffer) {}
}
