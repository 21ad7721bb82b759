import CaptureGate

/// A FLAC file (RFC 9639): libFLAC's packets one after the other.
///
/// *session-bound*
final class FLACStream: ClipStream {
    private(set) var head: [UInt8]
    private let encoder: FLACEncoder

    init(_ track: ClipTrack, labels: ClipLabels, settings: EncoderSettings) throws(CaptureError) {
        guard let format = track.audio else { throw CaptureError(.usage, "FLAC holds sound alone.") }
        encoder = FLACEncoder(format: format, level: settings.flacLevel, labels: labels.comments(of: track))
        try encoder.begin()
        head = encoder.description.privateBytes
    }

    var counts: EncoderCounts { encoder.counts }
    var maxBufferedBytes: Int { encoder.format.maxBufferedBytes }

    func encode(_ data: RawSpan, at nanoseconds: Int64, into packets: inout PacketBuffer) throws(CaptureError) {
        try encoder.encode(data, at: nanoseconds, into: &packets)
    }

    func finish(into packets: inout PacketBuffer) throws(CaptureError) { try encoder.finish(into: &packets) }

    /// STREAMINFO follows fLaC and a block's head. A file that lacks blocks can't have the whole stream's digest, and
    /// a digest of zeros stands for none (RFC 9639, 8.2).
    func setTotals(_ totals: StreamTotals) {
        head = encoder.description.privateBytes
        if totals.isComplete { return }
        // The count of samples is the low 36 bits of the eight bytes before the digest.
        let samples = FLACStreamInfo.totalSamples(totals.frames)
        head[21] = head[21] & 0xF0 | UInt8(truncatingIfNeeded: samples >> 32 & 0x0F)
        for byte in 0..<4 { head[22 + byte] = UInt8(truncatingIfNeeded: samples >> (24 - 8 * byte)) }
        head.replaceSubrange(26..<42, with: repeatElement(0, count: 16))
    }
}
