import CaptureEncoding
import CaptureGate

/// Encoder of one track whose packets several outputs store.
///
/// *session-bound*
final class SharedEncoder {
    private let encoder: any TrackEncoder
    private var packets = PacketBuffer()
    /// Memory of the packets.
    private let pool: FramePool
    /// Frames that the encoder still holds, the oldest first.
    private var held: [TeeFrame] = []
    private let duration: Int64
    /// The stream, for the containers.
    let coded: CodedVideo

    /// Receives a packet and its place; no bytes for a frame that was skipped.
    typealias Receiver = (SharedFrame, TeeFrame) -> Void

    /// - Parameters:
    ///   - track: raw video or images.
    ///   - settings: of the encoder.
    /// - Throws: as the encoder's `begin`.
    init(_ track: ClipTrack, _ settings: EncoderSettings) throws(CaptureError) {
        encoder = settings.encoder(for: track)
        try encoder.begin()
        coded = CodedVideo(encoder.description)
        pool = FramePool(for: track.coded(as: coded))
        duration = track.nanoseconds(ofFrames: 1)
    }

    /// Frames that it repaired.
    var repaired: UInt64 { encoder.counts.repaired }

    /// Encodes a frame once for each of its places, since a stream can't repeat an encoded frame.
    func encode(_ frame: RawSpan, in places: TeeFrame, to receive: Receiver) throws(CaptureError) {
        for place in 0..<places.count {
            var own = places
            (own.time, own.count) = (places.time + Int64(place) * duration, 1)
            let skipped = encoder.counts.skipped
            packets.removeAll()
            try encoder.encode(frame, at: own.time, into: &packets)
            guard encoder.counts.skipped == skipped else {
                own.hasPacket = false
                receive(pool.frame { _ in }, own)
                continue
            }
            held.append(own)
            hand(to: receive)
        }
    }

    /// Encodes what it still holds.
    func finish(to receive: Receiver) throws(CaptureError) {
        packets.removeAll()
        try encoder.finish(into: &packets)
        hand(to: receive)
    }

    private func hand(to receive: Receiver) {
        for index in 0..<min(packets.count, held.count) {
            var place = held[index]
            place.isKey = packets.isKey(index)
            let packet = pool.frame { bytes in
                packets.withBytes(of: index) { CodedVideo.append($0, isKey: place.isKey, to: &bytes) }
            }
            receive(packet, place)
        }
        held.removeFirst(min(packets.count, held.count))
    }
}

/// Encoders of a capture's tracks.
///
/// *thread-safe*
final class SharedEncoders: Sendable {
    /// Stream of each track; `nil` for those that are passed on unchanged.
    let coded: [CodedVideo?]
    private let encoders: Locked<[SharedEncoder?]>

    /// - Parameters:
    ///   - tracks: of the capture; `nil` for those that are not encoded.
    ///   - settings: of the encoders.
    /// - Throws: as an encoder's `begin`.
    init(_ tracks: [ClipTrack?], _ settings: EncoderSettings) throws(CaptureError) {
        var encoders: [SharedEncoder?] = []
        for track in tracks {
            encoders.append(try track.map { (track) throws(CaptureError) in try SharedEncoder(track, settings) })
        }
        coded = encoders.map { $0?.coded }
        self.encoders = Locked(encoders)
    }

    /// Tracks as outputs get them.
    func coded(_ tracks: [ClipTrack]) -> [ClipTrack] {
        zip(tracks, coded).map { track, coded in coded.map { track.coded(as: $0) } ?? track }
    }

    /// Lends the encoder of a track, if it has one.
    func with(_ track: Int, _ body: (SharedEncoder) throws(CaptureError) -> Void) throws(CaptureError) {
        try encoders.withLock { (encoders) throws(CaptureError) in
            if encoders.indices.contains(track), let encoder = encoders[track] { try body(encoder) }
        }
    }

    /// Ends them and their threads.
    func end() { encoders.withLock { $0 = [] } }
}

extension ClipFormat {
    /// Codec of the video in a clip of the format, if it is encoded.
    func videoCodec(_ settings: EncoderSettings) -> VideoCodec? {
        // Each output has encoders of the program's own for itself.
        guard settings.own == nil || self == .mjpeg else { return nil }
        switch self {
        case .matroska, .mp4, .webm:
            let codec = settings.chosen(for: self).videoCodec
            return codec == .automatic ? .mjpeg : codec == .raw ? nil : codec
        case .mjpeg: return .mjpeg
        case .wav, .flac, .opus, .y4m, .raw, .nothing, .v4l2, .own: return nil
        }
    }

    /// True for formats whose video, if they have any, is stored as JPEG images.
    func keepsJPEG(_ settings: EncoderSettings) -> Bool {
        !kinds.contains(.video) || videoCodec(settings) == .mjpeg
    }
}

extension VideoCodec {
    /// True for a track that must be encoded for the codec.
    func encodes(_ track: ClipTrack) -> Bool {
        guard let pixels = track.video?.pixelFormat else { return false }
        switch self {
        case .automatic, .mjpeg: return !pixels.isCompressed
        case .h264: return !pixels.isPredicted
        case .vp8, .vp9, .av1: return true
        case .raw: return false
        }
    }
}
