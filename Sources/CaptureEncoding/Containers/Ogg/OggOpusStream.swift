import CaptureGate

/// An Ogg Opus file (RFC 7845).
///
/// *session-bound*
final class OggOpusStream: ClipStream {
    private let encoder: OpusEncoder
    private let pages: OggOpusMuxer
    private var encoded = PacketBuffer()
    private let samples: Int64

    init(_ track: ClipTrack, labels: ClipLabels, settings: EncoderSettings) throws(CaptureError) {
        guard let format = track.audio else { throw CaptureError(.usage, "Ogg Opus holds sound alone.") }
        encoder = OpusEncoder(format: format, parameters: settings.opus)
        try encoder.begin()
        pages = try OggOpusMuxer(
            encoder.description.privateBytes, comments: OggOpusMuxer.tags(labels.comments(of: track)),
            serial: Int32.random(in: 1...Int32.max))
        samples = Int64(OpusHead.rate) * Int64(settings.opus.frameDuration.rawValue) / 1_000_000
    }

    var head: [UInt8] { pages.head }
    var counts: EncoderCounts { encoder.counts }
    var delay: Int64 { encoder.description.delay }
    /// A page, and what the encoder has not got enough of for a packet.
    let maxBufferedBytes = 65_307

    let marksLastPacket = true
    func last(_ packet: [UInt8]) -> [UInt8] { OggOpusMuxer.ended(packet) }

    func encode(_ data: RawSpan, at nanoseconds: Int64, into packets: inout PacketBuffer) throws(CaptureError) {
        encoded.removeAll()
        try encoder.encode(data, at: nanoseconds, into: &encoded)
        try put(isEnd: false, into: &packets)
    }

    func finish(into packets: inout PacketBuffer) throws(CaptureError) {
        encoded.removeAll()
        try encoder.finish(into: &encoded)
        try put(isEnd: true, into: &packets)
    }

    private func put(isEnd: Bool, into packets: inout PacketBuffer) throws(CaptureError) {
        for index in 0..<encoded.count {
            let discard = (encoded.discard(of: index) * Int64(OpusHead.rate) + 500_000_000) / 1_000_000_000
            let (time, duration) = (encoded.time(of: index), encoded.duration(of: index))
            try encoded.withBytes(of: index) { (bytes) throws(CaptureError) in
                try pages.put(
                    bytes, samples: samples - discard, at: time, lasting: duration,
                    isLast: isEnd && index == encoded.count - 1, into: &packets)
            }
        }
    }
}
