import CaptureBase

/// Description of a track's packets: SampleEntry (ISO/IEC 14496-12, 8.5.2), with the box that its
/// codec wants.
///
/// *thread-safe*
struct MP4SampleEntry {
    /// Codec of a track, named by its sample entry.
    enum Codec: String, CaseIterable {
        /// H.264: packets are NAL units after lengths of four bytes (ISO/IEC 14496-15, 5.4.2).
        case avc = "avc1"
        /// H.265, packed likewise (ISO/IEC 14496-15, 8.4.1).
        case hevc = "hvc1"
        /// Motion-JPEG as registered by the MPEG-4 registration authority, object type 0x6C.
        case jpeg = "mp4v"
        /// AAC (ISO/IEC 14496-14, 6.7.2).
        case aac = "mp4a"
        /// Opus (Encapsulation of Opus in ISO Base Media File Format, 4.3).
        case opus = "Opus"
        /// FLAC (Encapsulation of FLAC in ISO Base Media File Format, 3.3).
        case flac = "fLaC"

        /// CodecID of Matroska and of the encoders here.
        var matroskaID: String {
            switch self {
            case .avc: "V_MPEG4/ISO/AVC"
            case .hevc: "V_MPEGH/ISO/HEVC"
            case .jpeg: "V_MJPEG"
            case .aac: "A_AAC"
            case .opus: "A_OPUS"
            case .flac: "A_FLAC"
            }
        }

        var type: MP4Type { MP4Type(rawValue: rawValue.utf8.reduce(0) { $0 << 8 | UInt32($1) }) }
        /// Box of the codec's own configuration.
        var configuration: MP4Type {
            switch self {
            case .avc: MP4Type("avcC")
            case .hevc: MP4Type("hvcC")
            case .jpeg, .aac: MP4Type("esds")
            case .opus: MP4Type("dOps")
            case .flac: MP4Type("dfLa")
            }
        }
    }

    let codec: Codec
    let track: ClipTrack
    let description: CodecDescription

    /// - Returns: `nil` for a codec that MP4 does not hold.
    init?(_ track: ClipTrack, _ description: CodecDescription) {
        guard let codec = Codec.allCases.first(where: { $0.matroskaID == description.matroskaID }) else { return nil }
        self.codec = codec
        self.track = track
        self.description = description
    }

    /// Writes the entry.
    func append(to boxes: inout MP4Boxes) {
        boxes.box(codec.type) { box in
            // Reserved bytes, then the index of the data reference.
            box.zeros(6)
            box.put(1, 2)
            if let format = track.video { appendVideo(format, to: &box) }
            if let format = track.audio { appendAudio(format, to: &box) }
        }
    }

    /// VisualSampleEntry (ISO/IEC 14496-12, 12.1.3).
    private func appendVideo(_ format: VideoFormat, to box: inout MP4Boxes) {
        box.zeros(16)
        box.put(format.width, 2)
        box.put(format.height, 2)
        // 72 pixels an inch, as the standard wants it; reserved bytes; one frame in a sample.
        box.fixed(72, 4)
        box.fixed(72, 4)
        box.zeros(4)
        box.put(1, 2)
        // No name of a compressor; depth of colour without alpha; no colour table.
        box.zeros(32)
        box.put(0x18, 2)
        box.put(-1, 2)
        appendConfiguration(to: &box)
        if let colorimetry = description.colorimetry { Self.append(colorimetry, to: &box) }
        if let aspect = format.pixelAspect, !aspect.isSquare {
            box.box(MP4Type("pasp")) { pixels in
                pixels.put(aspect.width, 4)
                pixels.put(aspect.height, 4)
            }
        }
        Self.append(format.fieldOrder, to: &box)
    }

    /// ColourInformationBox with the numbers of ITU-T H.273 (ISO/IEC 14496-12, 12.1.5).
    private static func append(_ colorimetry: Colorimetry, to box: inout MP4Boxes) {
        box.box(MP4Type("colr")) { colour in
            colour.put(MP4Type("nclx"))
            colour.put(colorimetry.primariesCode, 2)
            colour.put(colorimetry.transferCode, 2)
            colour.put(colorimetry.matrixCode, 2)
            colour.put(colorimetry.range == .full ? 0x80 : 0, 1)
        }
    }

    /// Field order (QuickTime File Format, "fiel"): two fields, and which is the first in time and storage.
    private static func append(_ order: FieldOrder, to box: inout MP4Boxes) {
        guard order != .progressive else { return }
        box.box(MP4Type("fiel")) { $0.put([2, order == .topFirst ? 1 : 6]) }
    }

    /// AudioSampleEntry (ISO/IEC 14496-12, 12.2.3).
    private func appendAudio(_ format: AudioFormat, to box: inout MP4Boxes) {
        box.zeros(8)
        box.put(format.channels, 2)
        box.put(description.bitDepth > 0 ? description.bitDepth : 16, 2)
        box.zeros(4)
        // The field ends at 65,535 Hz; FLAC, which goes beyond, has its rate in STREAMINFO, and 0 here.
        let rate = description.decodedRate ?? format.sampleRate
        box.put(rate < 1 << 16 ? rate : 0, 2)
        box.zeros(2)
        appendConfiguration(to: &box)
    }

    /// The codec's own box.
    private func appendConfiguration(to box: inout MP4Boxes) {
        let own = description.privateBytes
        switch codec {
        case .avc, .hevc: box.box(codec.configuration) { $0.put(own) }
        case .jpeg: Self.appendStream(objectType: 0x6C, streamType: 0x04, own, to: &box)
        case .aac: Self.appendStream(objectType: 0x40, streamType: 0x05, own, to: &box)
        case .opus: if let head = OpusHead(own) { box.box(codec.configuration) { $0.put(head.boxBytes) } }
        // After the marker, only STREAMINFO, marked as the last block: the movie has its own tags.
        case .flac:
            box.fullBox(codec.configuration) { $0.put([0x80] + own.prefix(4 + Self.streamInfoBytes).dropFirst(5)) }
        }
    }

    /// STREAMINFO of FLAC and the header of its block (RFC 9639, 8.1 and 8.2).
    private static let streamInfoBytes = 4 + 34

    /// ESDBox (ISO/IEC 14496-14, 6.7.2): descriptors of ISO/IEC 14496-1, 7.2.6.
    private static func appendStream(
        objectType: UInt8, streamType: UInt8, _ specific: [UInt8], to box: inout MP4Boxes
    ) {
        let own = specific.isEmpty ? [] : descriptor(0x05, specific)
        // Object and stream type, a size of the decoder's buffer and bit rates that nobody tells.
        let decoder = descriptor(0x04, [objectType, streamType << 2 | 1] + [UInt8](repeating: 0, count: 11) + own)
        // 2: the value for MP4 files.
        let synchronization = descriptor(0x06, [2])
        box.fullBox(MP4Type("esds")) { $0.put(descriptor(0x03, [0, 0, 0] + decoder + synchronization)) }
    }

    /// Descriptor: a tag, a length of seven bits a byte, then the content (ISO/IEC 14496-1, 8.3.3).
    private static func descriptor(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let groups = (0..<4).reversed().map { UInt8(content.count >> (7 * $0) & 0x7F) }
        let length = Array(groups.drop { $0 == 0 })
        let coded = length.isEmpty ? [0] : length.dropLast().map { $0 | 0x80 } + length.suffix(1)
        return [tag] + coded + content
    }
}

extension MP4SampleEntry {
    /// Samples per channel in a packet, which its codec tells; `nil` for video, and where the encoder tells.
    func audioFrames(in packet: UnsafeRawBufferPointer) -> Int64? {
        switch codec {
        case .avc, .hevc, .jpeg, .flac: nil
        case .aac: Self.aacFrames
        // By its bytes: iterating allocates in a debug build.
        case .opus: packet.count > 0 ? OpusPacket.samples(packet[0], packet.count > 1 ? packet[1] : nil) : nil
        }
    }

    /// Samples of a packet of AAC-LC (ISO/IEC 14496-3, 4.5.2.1.1).
    static let aacFrames: Int64 = 1024
}

extension OpusHead {
    /// Content of OpusSpecificBox (Encapsulation of Opus in ISO Base Media File Format, 4.3.2), which is big-endian where
    /// Ogg's header is not.
    var boxBytes: [UInt8] {
        var boxes = MP4Boxes()
        boxes.put([0, UInt8(channels)])
        boxes.put(preSkip, 2)
        boxes.put(inputRate, 4)
        // Output gain of 0 dB.
        boxes.put(0, 2)
        boxes.put(mappingFamily, 1)
        if mappingFamily != 0 { boxes.put([UInt8(streams), UInt8(coupled)] + mapping) }
        return boxes.bytes
    }

    /// Reads the box back.
    /// - Returns: `nil` for anything else.
    init?(boxBytes bytes: [UInt8]) {
        guard bytes.count >= 11, bytes[0] == 0 else { return nil }
        // Ogg's header has another version ahead, and its numbers the other way round.
        let head = Array("OpusHead".utf8) + [1, bytes[1], bytes[3], bytes[2]] + bytes[4..<8].reversed()
        self.init(head + [bytes[9], bytes[8]] + bytes[10...])
    }
}
