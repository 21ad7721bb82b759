import CCodecs
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
    /// A page of the largest size, which also covers what the encoder holds back for its next
    /// packet.
    let maxBufferedBytes = 65_307

    /// The last page must say that it is the last (RFC 3533, 6).
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
    private let handle: OpaquePointer
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

    /// Makes the header pages, each header on a page of its own (RFC 7845, 3).
    /// - Parameters:
    ///   - identification: OpusHead.
    ///   - comments: OpusTags.
    ///   - serial: bitstream serial number, unique in the file.
    /// - Throws: `.inputOutput` if there is no memory.
    init(_ identification: [UInt8], comments: [UInt8], serial: Int32) throws(CaptureError) {
        guard let handle = cc_ogg_open(serial) else { throw PacketBuffer.outOfMemory }
        self.handle = handle
        var pages = PacketBuffer()
        for packet in [identification, comments] {
            guard cc_ogg_put(handle, packet, packet.count, 0, 0) >= 0,
                cc_ogg_flush(handle, &pages.storage, 0, 0) >= 0
            else {
                cc_ogg_free(handle)
                throw PacketBuffer.outOfMemory
            }
        }
        head = pages.withBytes(of: 0..<pages.count) { Array($0) }
    }

    deinit { cc_ogg_free(handle) }

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
        let bytes = packet.baseAddress?.assumingMemoryBound(to: UInt8.self)
        guard cc_ogg_put(handle, bytes, packet.count, granule, isLast ? 1 : 0) >= 0 else {
            throw PacketBuffer.outOfMemory
        }
        segments += needed
        start = start ?? time
        duration += length
        if isLast || duration >= Self.longest || segments >= Self.mostSegments { try flush(into: &pages) }
    }

    /// Sets the end-of-stream flag (RFC 3533, 6: header_type_flag 4) of the last of some pages.
    ///
    /// Needed if the disk was full: the page that was to carry the flag had no room.
    static func ended(_ pages: [UInt8]) -> [UInt8] {
        var (pages, offset) = (pages, 0)
        while let page = size(of: pages, at: offset) {
            if offset + page.head + page.body == pages.count {
                pages[offset + 5] |= 4
                pages.withUnsafeMutableBufferPointer { bytes in
                    guard let base = bytes.baseAddress else { return }
                    cc_ogg_checksum(base + offset, page.head, page.head + page.body)
                }
                break
            }
            offset += page.head + page.body
        }
        return pages
    }

    /// Size of the page at an offset; `nil` if none begins there.
    private static func size(of pages: [UInt8], at offset: Int) -> (head: Int, body: Int)? {
        guard offset + 27 <= pages.count, offset + 27 + Int(pages[offset + 26]) <= pages.count else { return nil }
        let head = 27 + Int(pages[offset + 26])
        return (head, pages[offset + 27..<offset + head].reduce(0) { $0 + Int($1) })
    }

    /// Ends the page being filled.
    private func flush(into pages: inout PacketBuffer) throws(CaptureError) {
        guard segments > 0 else { return }
        guard cc_ogg_flush(handle, &pages.storage, start ?? 0, duration) >= 0 else { throw PacketBuffer.outOfMemory }
        (segments, start, duration) = (0, nil, 0)
    }
}
