import CaptureGate

/// JPEG images one after the other, without times: what players know as `mjpeg`.
///
/// *session-bound*
final class MJPEGStream: ClipStream {
    let head: [UInt8] = []
    private let encoder: any Encoder

    init(_ track: ClipTrack, settings: EncoderSettings) throws(CaptureError) {
        var settings = settings
        settings.videoCodec = .mjpeg
        encoder = settings.encoder(for: track)
        try encoder.begin()
    }

    var counts: EncoderCounts { encoder.counts }

    func encode(_ data: RawSpan, at nanoseconds: Int64, into packets: inout PacketBuffer) throws(CaptureError) {
        try encoder.encode(data, at: nanoseconds, into: &packets)
    }
}
