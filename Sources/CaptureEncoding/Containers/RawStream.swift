import CaptureGate

/// A device's bytes and nothing else.
///
/// *session-bound*
final class RawStream: ClipStream {
    let head: [UInt8] = []
    private(set) var counts = EncoderCounts()
    private let track: ClipTrack

    init(_ track: ClipTrack) { self.track = track }

    func encode(_ data: RawSpan, at nanoseconds: Int64, into packets: inout PacketBuffer) throws(CaptureError) {
        let frames = try track.frames(in: data)
        let duration = track.nanoseconds(ofFrames: Int64(frames))
        try data.withUnsafeBytes { (data) throws(CaptureError) in
            try packets.append(capacity: data.count, at: nanoseconds, lasting: duration) { room in
                room.copyMemory(from: data)
                return data.count
            }
        }
        counts.frames += UInt64(frames)
        counts.packets += 1
        counts.bytes += UInt64(data.byteCount)
    }
}
