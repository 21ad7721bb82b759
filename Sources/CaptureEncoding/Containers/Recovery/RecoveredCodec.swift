import CaptureGate

/// Stands where a track's encoder would: its packets exist already.
///
/// *session-bound*
final class RecoveredCodec: Encoder {
    let description: CodecDescription
    let counts = EncoderCounts()
    private let checksum = FLACChecksum()

    init(_ description: CodecDescription) { self.description = description }

    func begin() {}
    func encode(_ data: RawSpan, at nanoseconds: Int64, into packets: inout PacketBuffer) throws(CaptureError) {
        throw CaptureError(.usage, "A recovered track takes no frames.")
    }
    func finish(into packets: inout PacketBuffer) {}

    /// How many frames a packet holds: pictures, or samples of each channel.
    /// - Returns: `nil` for one that is damaged, as far as its codec lets that be known.
    func frames(in packet: ArraySlice<UInt8>, of track: ClipTrack) -> Int64? {
        switch description.matroskaID {
        case "V_MJPEG": packet.starts(with: [0xFF, 0xD8]) && packet.suffix(2) == [0xFF, 0xD9] ? 1 : nil
        case "A_FLAC": flacFrames(packet)
        case "A_OPUS": OpusPacket.samples(packet)
        default: plainFrames(packet, of: track)
        }
    }

    private func flacFrames(_ packet: ArraySlice<UInt8>) -> Int64? {
        guard let head = FLACFrameHeader(Array(packet.prefix(FLACFrameHeader.most + 1)), at: 0, checksum) else {
            return nil
        }
        return checksum.frame(packet) == 0 ? Int64(head.blockFrames) : nil
    }

    private func plainFrames(_ packet: ArraySlice<UInt8>, of track: ClipTrack) -> Int64? {
        switch track.media {
        case .audio(let format):
            packet.count.isMultiple(of: format.bytesPerFrame) ? Int64(packet.count / format.bytesPerFrame) : nil
        case .video(let format): RawFrameLayout(format)?.packedByteCount == packet.count ? 1 : nil
        }
    }
}
