import CaptureBase

/// Replaces the encoder of a recovered track, whose packets exist already.
///
/// *session-bound*
final class RecoveredCodec: TrackEncoder {
    let description: CodecDescription
    let counts = EncoderCounts()
    /// Checks packets of FLAC.
    private let checksum = FLACChecksum()

    init(_ description: CodecDescription) { self.description = description }

    /// Nothing to begin: the description is read from the file.
    func begin() {}
    func encode(_ data: RawSpan, at nanoseconds: Int64, into packets: inout PacketBuffer) throws(CaptureError) {
        throw CaptureError(.usage, "A recovered track takes no frames.")
    }
    func finish(into packets: inout PacketBuffer) {}

    /// Frames in a packet: video frames, or samples per channel.
    /// - Returns: `nil` for a damaged packet, as far as its codec shows it.
    func frames(in packet: ArraySlice<UInt8>, of track: ClipTrack) -> Int64? {
        switch description.matroskaID {
        // SOI and EOI: the writer stores complete images alone.
        case "V_MJPEG": packet.starts(with: [0xFF, 0xD8]) && packet.suffix(2) == [0xFF, 0xD9] ? 1 : nil
        case "A_FLAC": flacFrames(packet)
        case "A_OPUS": OpusPacket.samples(packet)
        case "A_AAC": packet.isEmpty ? nil : MP4SampleEntry.aacFrames
        case "V_MPEG4/ISO/AVC", "V_MPEGH/ISO/HEVC": unitFrames(packet)
        // A key frame of VP8 has a start code; the others have nothing to check.
        case "V_VP8": VP8Packet.isPlausible(packet) ? 1 : nil
        // frame_marker of VP9.
        case "V_VP9": (packet.first ?? 0) >> 6 == 2 ? 1 : nil
        // obu_forbidden_bit and obu_has_size_field of AV1.
        case "V_AV1": (packet.first ?? 0xFF) & 0x82 == 2 ? 1 : nil
        default: plainFrames(packet, of: track)
        }
    }

    /// A packet of H.264 or H.265 consists of NAL units, each after its length in four bytes.
    private func unitFrames(_ packet: ArraySlice<UInt8>) -> Int64? {
        var rest = packet
        while rest.count > 4 {
            let length = rest.number(at: 0, 4)
            guard length > 0, length <= rest.count - 4 else { return nil }
            rest = rest.dropFirst(4 + length)
        }
        return rest.isEmpty && !packet.isEmpty ? 1 : nil
    }

    /// A FLAC packet is a frame, with its own checksums.
    private func flacFrames(_ packet: ArraySlice<UInt8>) -> Int64? {
        guard let head = FLACFrameHeader(Array(packet.prefix(FLACFrameHeader.most + 1)), at: 0, checksum) else {
            return nil
        }
        return checksum.frame(packet) == 0 ? Int64(head.blockFrames) : nil
    }

    /// A packet of PCM is whole audio frames; one of raw video is a frame's size.
    private func plainFrames(_ packet: ArraySlice<UInt8>, of track: ClipTrack) -> Int64? {
        switch track.media {
        case .audio(let format):
            packet.count.isMultiple(of: format.bytesPerFrame) ? Int64(packet.count / format.bytesPerFrame) : nil
        case .video(let format): RawLayout(format)?.packedByteCount == packet.count ? 1 : nil
        }
    }
}

/// Packet of VP8 (RFC 6386, 9.1).
enum VP8Packet {
    static func isPlausible(_ packet: ArraySlice<UInt8>) -> Bool {
        guard let first = packet.first else { return false }
        // The lowest bit is 0 for a key frame.
        return first & 1 == 1 || packet.dropFirst(3).starts(with: [0x9D, 0x01, 0x2A])
    }
}

extension MatroskaTrack {
    /// Reads a TrackEntry (RFC 9559, 5.1.4.1).
    ///
    /// Elements of TrackEntry, Video, Audio and Colour have different ids, so that one dictionary
    /// holds them all.
    /// - Parameters:
    ///   - entry: its content.
    ///   - devices: device ids by track number.
    /// - Returns: `nil` for an entry that this module would not have written.
    convenience init?(recovering entry: ArraySlice<UInt8>, devices: [UInt64: String]) {
        var fields: [UInt32: ArraySlice<UInt8>] = [:]
        for (id, content) in MatroskaChildren(entry) {
            fields[id] = content
            guard [MatroskaID.audio, .video].contains(where: { $0.rawValue == id }) else { continue }
            for (id, content) in MatroskaChildren(content) {
                fields[id] = content
                guard id == MatroskaID.colour.rawValue else { continue }
                for (id, content) in MatroskaChildren(content) { fields[id] = content }
            }
        }
        func field(_ id: MatroskaID) -> ArraySlice<UInt8> { fields[id.rawValue] ?? [] }
        let trackNumber = field(.trackNumber).unsigned
        // 127 would not fit into the one byte that a block of ours has for it (RFC 8794, 4).
        guard (1...126).contains(trackNumber) else { return nil }
        var codec = CodecDescription(matroskaID: field(.codecID).text, privateBytes: Array(field(.codecPrivate)))
        codec.bitDepth = Int(clamping: field(.bitDepth).unsigned)
        codec.uncompressedFourCC = Array(field(.uncompressedFourCC).prefix(4))
        codec.delay = Int64(clamping: field(.codecDelay).unsigned)
        codec.preRoll = Int64(clamping: field(.seekPreRoll).unsigned)
        func number(_ id: MatroskaID) -> UInt64 { field(id).unsigned }
        codec.colorimetry = MatroskaColour.read(number)
        let media: ClipTrack.Media
        switch field(.trackType).unsigned {
        case 1:
            let size = (number(.pixelWidth), number(.pixelHeight))
            guard var format = Self.video(codec, size, number(.defaultDuration)) else { return nil }
            format.fieldOrder = MatroskaFieldOrder.read(number)
            format.pixelAspect = MatroskaAspect.read(size, number)
            media = .video(format)
        case 2:
            let rate = field(.samplingFrequency).number
            guard let format = Self.audio(codec, rate, field(.channels).unsigned) else { return nil }
            media = .audio(format)
        default: return nil
        }
        let track = ClipTrack(media, name: field(.name).text, device: devices[trackNumber] ?? "")
        self.init(number: Int(trackNumber), track: track, encoder: RecoveredCodec(codec))
    }

    /// Video format of a track; pixel formats are those of ``RawVideoEncoder`` and MJPEG.
    private static func video(_ codec: CodecDescription, _ size: (UInt64, UInt64), _ duration: UInt64) -> VideoFormat? {
        // The reverse of `RawVideoEncoder.fourCC`.
        let codes = ["YUY2": "YUYV", "UYVY": "UYVY", "NV12": "NV12", "I420": "YU12", "Y800": "GREY"]
        let code = codes[String(decoding: codec.uncompressedFourCC, as: UTF8.self)]
        // Predicted frames are decoded to planes of 4:2:0, whatever the camera delivered.
        let known = [
            "V_MJPEG": "MJPG", "V_MPEG4/ISO/AVC": "YU12", "V_MPEGH/ISO/HEVC": "YU12", "V_VP8": "YU12",
            "V_VP9": "YU12", "V_AV1": "YU12",
        ]
        let pixelFormat = (known[codec.matroskaID] ?? code).flatMap { PixelFormat($0) }
        guard let pixelFormat, (1...65_535).contains(size.0), (1...65_535).contains(size.1),
            (1...1_000_000_000_000).contains(duration), let rate = FrameRate(1_000_000_000, Int(duration))
        else { return nil }
        return VideoFormat(
            width: Int(size.0), height: Int(size.1), pixelFormat: pixelFormat, frameRate: rate, bytesPerLine: 0,
            colorimetry: codec.colorimetry)
    }

    /// Audio format of a track. FLAC's and Opus's packets contain their own depth, so any sample format can be used.
    private static func audio(_ codec: CodecDescription, _ rate: Double, _ channels: UInt64) -> AudioFormat? {
        // Also refuses NaN, which no comparison holds for.
        guard rate >= 1, rate <= 655_350, (1...255).contains(channels) else { return nil }
        let sample: SampleFormat
        switch (codec.matroskaID, codec.bitDepth) {
        case ("A_OPUS", _): sample = .float32
        case ("A_FLAC", _): sample = .s32
        case ("A_AAC", _): sample = .s16
        case ("A_PCM/INT/LIT", 16): sample = .s16
        case ("A_PCM/INT/LIT", 24): sample = .s24Packed
        case ("A_PCM/INT/LIT", 32): sample = .s32
        case ("A_PCM/FLOAT/IEEE", 32): sample = .float32
        default: return nil
        }
        return AudioFormat(sampleRate: Int(rate), channels: Int(channels), sampleFormat: sample)
    }
}
