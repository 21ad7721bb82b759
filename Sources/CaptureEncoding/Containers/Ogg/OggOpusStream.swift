import CaptureBase

/// Ogg Opus file (RFC 7845).
///
/// *session-bound*
final class OggOpusStream: ClipStream {
    private let encoder: OpusEncoder
    private let pages: OggOpusMuxer
    /// Packets of one call, on their way to pages.
    private var encoded = PacketBuffer()
    /// Samples at 48 kHz per packet.
    private let samples: Int64

    init(_ track: ClipTrack, labels: ClipLabels, settings: EncoderSettings) throws(CaptureError) {
        guard let format = track.audio else { throw CaptureError(.usage, "Ogg Opus can contain only audio.") }
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
    /// A page of the largest size, which also covers what the encoder holds back for its next
    /// packet.
    let maxBufferedBytes = 65_307

    /// The last page must say that it is the last (RFC 3533, 6).
    let marksLastPacket = true
    func last(_ packet: [UInt8]) -> [UInt8] { OggPageWriter.ended(packet) }

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

    /// Puts the packets on pages. Those of the last one that are not to be played shorten its
    /// granule position: end trimming (RFC 7845, 4.4).
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

/// Muxer of Opus packets into Ogg pages (RFC 3533, RFC 7845) on libogg.
///
/// A page lasts half a second at most, which bounds the loss if the recorder is killed. It ends
/// with a whole packet unless that packet is larger than a page.
///
/// *session-bound*
final class OggOpusMuxer {
    /// Pages of the identification and the comment header.
    let head: [UInt8]
    private let writer: OggPageWriter
    /// Granule position: samples at 48 kHz up to the end of the last packet, pre-skip included (RFC
    /// 7845, 4).
    private var granule: Int64 = 0
    /// Lacing values, start and duration of the page being filled.
    private var segments = 0
    private var start: Int64?
    private var duration: Int64 = 0

    /// Longest page in nanoseconds.
    private static let longest: Int64 = 500_000_000
    /// Lacing values that a page holds, each for up to 255 bytes (RFC 3533, 6).
    private static let mostSegments = 255

    /// Makes the header pages, each header on a separate page (RFC 7845, 3).
    /// - Parameters:
    ///   - identification: OpusHead.
    ///   - comments: OpusTags.
    ///   - serial: bitstream serial number, unique in the file.
    /// - Throws: `.inputOutput` if there is no memory.
    init(_ identification: [UInt8], comments: [UInt8], serial: Int32) throws(CaptureError) {
        let writer = try OggPageWriter(serial: serial)
        self.writer = writer
        var pages = PacketBuffer()
        for header in [identification, comments] {
            try header.span.bytes.withUnsafeBytes { (bytes) throws(CaptureError) in
                try writer.put(bytes, granule: 0, isLast: false)
            }
            try writer.flush(into: &pages, at: 0, lasting: 0)
        }
        head = pages.withBytes(of: 0..<pages.count) { Array($0) }
    }

    /// Comment header (RFC 7845, 5.2).
    /// - Parameter comments: `NAME=text` in UTF-8.
    static func tags(_ comments: [String]) -> [UInt8] {
        func counted(_ text: String) -> [UInt8] {
            let bytes = Array(text.utf8)
            return LittleEndian.bytes(bytes.count, 4) + bytes
        }
        return Array("OpusTags".utf8) + counted("CaptureGate") + LittleEndian.bytes(comments.count, 4)
            + comments.flatMap(counted)
    }

    /// Adds a packet, and appends the pages that are complete.
    /// - Parameters:
    ///   - packet: of Opus.
    ///   - samples: decoded samples to be played, at 48 kHz.
    ///   - time: presentation timestamp in nanoseconds.
    ///   - length: duration in nanoseconds.
    ///   - isLast: ends the stream with it.
    ///   - pages: gets complete pages, several as one packet.
    func put(
        _ packet: UnsafeRawBufferPointer, samples: Int64, at time: Int64, lasting length: Int64, isLast: Bool = false,
        into pages: inout PacketBuffer
    ) throws(CaptureError) {
        // A packet whose size is a multiple of 255 ends with a lacing value of 0.
        let needed = packet.count / 255 + 1
        if segments + needed > Self.mostSegments { try flush(into: &pages) }
        granule += samples
        try writer.put(packet, granule: granule, isLast: isLast)
        segments += needed
        start = start ?? time
        duration += length
        if isLast || duration >= Self.longest || segments >= Self.mostSegments { try flush(into: &pages) }
    }

    /// Ends the page being filled.
    private func flush(into pages: inout PacketBuffer) throws(CaptureError) {
        guard segments > 0 else { return }
        try writer.flush(into: &pages, at: start ?? 0, lasting: duration)
        (segments, start, duration) = (0, nil, 0)
    }
}
