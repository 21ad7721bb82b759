import CCodecs
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

/// Puts Opus packets on the pages of an Ogg file (RFC 3533, RFC 7845) by libogg.
///
/// Pages last half a second at most: that is what a recorder that dies loses. A page ends with a packet, unless that
/// packet is larger than a page.
///
/// *session-bound*
final class OggOpusMuxer {
    /// The pages of the two headers.
    let head: [UInt8]
    private let handle: OpaquePointer
    /// Samples at 48 kHz up to the end of what was put in, those before the recording's first one included.
    private var granule: Int64 = 0
    private var segments = 0
    private var start: Int64?
    private var duration: Int64 = 0

    private static let longest: Int64 = 500_000_000
    /// A page's table of lengths has so many entries of up to 255 bytes.
    private static let mostSegments = 255

    /// - Parameters:
    ///   - identification: OpusHead.
    ///   - comments: OpusTags.
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

    /// The comment header (RFC 7845, 5.2).
    /// - Parameter comments: `NAME=text`.
    static func tags(_ comments: [String]) -> [UInt8] {
        func counted(_ text: String) -> [UInt8] {
            let bytes = Array(text.utf8)
            return little(bytes.count) + bytes
        }
        return Array("OpusTags".utf8) + counted("CaptureGate") + little(comments.count) + comments.flatMap(counted)
    }

    private static func little(_ value: Int) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    /// - Parameters:
    ///   - samples: that a decoder makes of it and that are to be played, at 48 kHz.
    ///   - pages: gets what is full, several pages as one packet.
    func put(
        _ packet: UnsafeRawBufferPointer, samples: Int64, at time: Int64, lasting length: Int64, isLast: Bool = false,
        into pages: inout PacketBuffer
    ) throws(CaptureError) {
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

    /// Pages of which the last one says that the stream ends with it (RFC 3533, 6: header_type_flag 4).
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

    /// Bytes of the page there; `nil` where none begins.
    private static func size(of pages: [UInt8], at offset: Int) -> (head: Int, body: Int)? {
        guard offset + 27 <= pages.count, offset + 27 + Int(pages[offset + 26]) <= pages.count else { return nil }
        let head = 27 + Int(pages[offset + 26])
        return (head, pages[offset + 27..<offset + head].reduce(0) { $0 + Int($1) })
    }

    private func flush(into pages: inout PacketBuffer) throws(CaptureError) {
        guard segments > 0 else { return }
        guard cc_ogg_flush(handle, &pages.storage, start ?? 0, duration) >= 0 else { throw PacketBuffer.outOfMemory }
        (segments, start, duration) = (0, nil, 0)
    }
}
