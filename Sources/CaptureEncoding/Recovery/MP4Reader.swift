import CaptureBase

/// Header of a box in a file that is being recovered, read without trust.
struct MP4BoxHead: Hashable {
    let type: MP4Type
    /// Offset of the size in the file.
    let start: Int64
    /// Offset of the content.
    let contentAt: Int64
    /// Offset after the box.
    let end: Int64

    /// Longest header: a size of 32 bits, the type, a size of 64.
    static let most = 16

    /// Parses a size and a type (ISO/IEC 14496-12, 4.2).
    /// - Parameters:
    ///   - bytes: from the box's start on.
    ///   - start: its offset.
    /// - Returns: `nil` for a size that no box has, or one without an end, which is not written here.
    init?(_ bytes: ArraySlice<UInt8>, at start: Int64) {
        guard bytes.count >= 8 else { return nil }
        let short = bytes.prefix(4).unsigned
        type = MP4Type(rawValue: UInt32(truncatingIfNeeded: bytes.dropFirst(4).prefix(4).unsigned))
        let head: Int64 = short == 1 ? 16 : 8
        guard bytes.count >= head else { return nil }
        let size = short == 1 ? Int64(clamping: bytes.dropFirst(8).prefix(8).unsigned) : Int64(short)
        guard size >= head, size <= Int64.max - start else { return nil }
        self.start = start
        contentAt = start + head
        end = start + size
    }
}

/// Boxes in the content of a box in memory.
struct MP4Children: Sequence, IteratorProtocol {
    private let bytes: ArraySlice<UInt8>
    private var at: Int

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        at = bytes.startIndex
    }

    /// Next box; the sequence ends at the first that is broken or exceeds its parent.
    mutating func next() -> (type: MP4Type, content: ArraySlice<UInt8>)? {
        guard at < bytes.endIndex, let head = MP4BoxHead(bytes[at...], at: Int64(at)), head.end <= bytes.endIndex
        else { return nil }
        at = Int(head.end)
        return (head.type, bytes[Int(head.contentAt)..<at])
    }

    /// Content of the first box of a type; empty if none exists.
    func first(_ type: MP4Type) -> ArraySlice<UInt8> { first { $0.type == type }?.content ?? [] }

    /// Content of the first box at the end of a path of types.
    static func find(_ path: MP4Type..., in content: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        path.reduce(content) { MP4Children($0).first($1) }
    }
}

extension ArraySlice<UInt8> {
    /// Unsigned big-endian number at an offset from the slice's start; 0 if it is not there.
    func number(at offset: Int, _ width: Int) -> Int {
        let bytes = dropFirst(offset).prefix(width)
        return bytes.count == width ? Int(truncatingIfNeeded: bytes.unsigned) : 0
    }
}

/// Movie of fragments ahead of a file's fragments, and what a final movie says of the clip.
struct RecoveredMP4Header {
    /// Tracks whose entries this module could have written.
    private(set) var tracks: [MP4Track] = []
    /// Offset after the movie of fragments.
    let end: Int64
    private(set) var title: String?
    /// Nanoseconds since 1970 in UTC.
    private(set) var startedAt: Int64 = 0
    /// Tags of the whole clip.
    private(set) var tags: [String: String] = [:]

    /// Bytes beyond which no movie of fragments goes.
    private static let most: Int64 = 4 << 20

    /// Finds the movie of fragments: at the file's start, or in the `mdat` of a finished file.
    /// - Throws: `.badInput` if none exists, or none of its tracks can be read.
    init(_ source: RecoverySource) throws(CaptureError) {
        var final: [ArraySlice<UInt8>] = []
        var at: Int64 = 4
        while let found = try source.find(MP4Type.movie.bytes, from: at, before: source.size) {
            at = found + 1
            guard let head = try source.box(at: found - 4), head.end <= source.size else { continue }
            let content = try source.read(at: head.contentAt, Int(min(head.end - head.contentAt, Self.most)))[...]
            guard MP4Children(content).contains(where: { $0.type == .movieExtends }) else {
                final.append(content)
                continue
            }
            end = head.end
            readMovie(content)
            for movie in final { readTags(ofMovie: movie) }
            guard !tracks.isEmpty, Set(tracks.map(\.number)).count == tracks.count else {
                throw source.broken("its track header is damaged")
            }
            return
        }
        throw source.broken("it has no header of an interrupted recording")
    }

    private mutating func readMovie(_ content: ArraySlice<UInt8>) {
        let header = MP4Children(content).first(.movieHeader)
        // Creation time in seconds since 1904-01-01T00:00:00Z, in 64 bits if the version is 1.
        let created = header.first == 1 ? header.number(at: 4, 8) : header.number(at: 4, 4)
        startedAt = Int64(min(max(created - 2_082_844_800, 0), 1 << 32)) * 1_000_000_000
        readTags(ofMovie: content)
        let defaults = MP4Children(MP4Children(content).first(.movieExtends)).filter { $0.type == .trackExtends }
        for (type, box) in MP4Children(content) where type == .track {
            let number = Self.number(ofTrack: box)
            let frame = defaults.first { $0.content.number(at: 4, 4) == number }?.content.number(at: 12, 4) ?? 0
            if let track = RecoveredMP4Track(box, number, frameTicks: frame)?.track { tracks.append(track) }
        }
    }

    /// track_ID of TrackHeaderBox (ISO/IEC 14496-12, 8.3.2), after times of 32 or 64 bits.
    private static func number(ofTrack box: ArraySlice<UInt8>) -> Int {
        let header = MP4Children(box).first(.trackHeader)
        return header.number(at: header.first == 1 ? 20 : 12, 4)
    }

    /// Reads the tags of a movie. Also called for a final one, which has more.
    mutating func readTags(ofMovie content: ArraySlice<UInt8>) {
        for (type, name, text) in Self.items(in: content) {
            if type == MP4Tags.title { title = text }
            if type == MP4Tags.named { tags[name] = text }
        }
    }

    /// Items of the list in a movie's or track's user data.
    static func items(in content: ArraySlice<UInt8>) -> [(type: MP4Type, name: String, text: String)] {
        // A MetaBox begins with a version and flags, and so do the parts of an item; text has a language, too.
        let meta = MP4Children.find(.userData, .meta, in: content).dropFirst(4)
        return MP4Children(MP4Children(meta).first(MP4Tags.list)).map { type, item in
            let parts = MP4Children(item)
            return (type, parts.first(MP4Tags.name).dropFirst(4).text, parts.first(MP4Tags.data).dropFirst(8).text)
        }
    }
}

/// TrackBox of a file that is being recovered.
struct RecoveredMP4Track {
    let track: MP4Track

    /// - Parameters:
    ///   - box: its content.
    ///   - number: track_ID.
    ///   - frameTicks: duration of a video frame in ticks of the track.
    /// - Returns: `nil` for a track that this module would not have written.
    init?(_ box: ArraySlice<UInt8>, _ number: Int, frameTicks: Int) {
        let media = MP4Children(MP4Children(box).first(.media))
        let header = media.first(.mediaHeader)
        let timescale = header.number(at: header.first == 1 ? 20 : 12, 4)
        guard (1...100).contains(number), (1...1_000_000_000).contains(timescale) else { return nil }
        let table = MP4Children.find(
            .mediaInformation, .sampleTable, .sampleDescription, in: MP4Children(box).first(.media))
        // After version, flags and the number of entries.
        guard let entry = MP4Children(table.dropFirst(8)).first(where: { _ in true }),
            let codec = MP4SampleEntry.Codec.allCases.first(where: { $0.type == entry.type })
        else { return nil }
        var description = CodecDescription(matroskaID: codec.matroskaID)
        let edits = MP4Children.find(.edits, .editList, in: box)
        let delay = edits.first == 0 ? edits.number(at: 12, 4) : edits.number(at: 16, 8)
        description.delay = Int64(min(delay, timescale)) * 1_000_000_000 / Int64(timescale)
        let format: ClipTrack.Media?
        switch codec {
        case .avc, .hevc, .jpeg:
            format = Self.video(entry.content, codec, timescale, frameTicks, &description).map { .video($0) }
        case .aac, .opus, .flac: format = Self.audio(entry.content, codec, timescale, &description).map { .audio($0) }
        }
        // After version, flags, a reserved field, the type and three more.
        let name = media.first(.handler).dropFirst(24).text
        let device = RecoveredMP4Header.items(in: box).first { $0.name == ClipTags.device }?.text ?? ""
        guard let format else { return nil }
        let made = try? MP4Track(
            number: number, track: ClipTrack(format, name: name, device: device), encoder: RecoveredCodec(description),
            timescale: Int64(timescale))
        guard let made else { return nil }
        track = made
    }

    /// Reads VisualSampleEntry (ISO/IEC 14496-12, 12.1.3) after its 78 bytes.
    private static func video(
        _ entry: ArraySlice<UInt8>, _ codec: MP4SampleEntry.Codec, _ timescale: Int, _ frameTicks: Int,
        _ description: inout CodecDescription
    ) -> VideoFormat? {
        let (width, height) = (entry.number(at: 24, 2), entry.number(at: 26, 2))
        let boxes = MP4Children(entry.dropFirst(78))
        guard width > 0, height > 0, let rate = FrameRate(timescale, frameTicks) else { return nil }
        if codec != .jpeg { description.privateBytes = Array(boxes.first(codec.configuration)) }
        let colour = boxes.first(MP4Type("colr"))
        if colour.starts(with: MP4Type("nclx").bytes) {
            description.colorimetry = colorimetry(colour)
        }
        var format = VideoFormat(
            width: width, height: height, pixelFormat: codec == .jpeg ? .mjpeg : .yuv420, frameRate: rate,
            bytesPerLine: 0, colorimetry: description.colorimetry)
        let (pixels, fields) = (boxes.first(MP4Type("pasp")), boxes.first(MP4Type("fiel")))
        format.pixelAspect = PixelAspect(pixels.number(at: 0, 4), pixels.number(at: 4, 4))
        if fields.first == 2 { format.fieldOrder = fields.last == 1 ? .topFirst : .bottomFirst }
        return format
    }

    /// Reads ColourInformationBox.
    private static func colorimetry(_ colour: ArraySlice<UInt8>) -> Colorimetry? {
        let code = { (offset: Int) in UInt64(colour.number(at: offset, 2)) }
        guard let matrix = ColourCodes.matrices.first(where: { $0.value == code(8) })?.key else { return nil }
        return Colorimetry(
            primaries: ColourCodes.primaries.first { $0.value == code(4) }?.key ?? .unspecified,
            transfer: ColourCodes.transfers.first { $0.value == code(6) }?.key ?? .unspecified, matrix: matrix,
            range: colour.number(at: 10, 1) & 0x80 != 0 ? .full : .limited)
    }

    /// Reads AudioSampleEntry (ISO/IEC 14496-12, 12.2.3) after its 28 bytes.
    private static func audio(
        _ entry: ArraySlice<UInt8>, _ codec: MP4SampleEntry.Codec, _ timescale: Int,
        _ description: inout CodecDescription
    ) -> AudioFormat? {
        let channels = entry.number(at: 16, 2)
        guard (1...255).contains(channels), timescale <= 655_350 else { return nil }
        let own = Array(MP4Children(entry.dropFirst(28)).first(codec.configuration))
        switch codec {
        case .opus:
            guard let head = OpusHead(boxBytes: own) else { return nil }
            description.privateBytes = head.bytes
            description.decodedRate = timescale
            description.preRoll = 80_000_000
        case .flac:
            // STREAMINFO after version and flags.
            description.privateBytes = Array("fLaC".utf8) + own.dropFirst(4)
            description.bitDepth = entry.number(at: 18, 2)
        default:
            guard let config = MP4Descriptors.specific(in: own.dropFirst(4)) else { return nil }
            description.privateBytes = Array(config)
        }
        return AudioFormat(
            sampleRate: timescale, channels: channels, sampleFormat: codec == .flac ? .s32 : .float32)
    }
}

/// Descriptors of ESDBox (ISO/IEC 14496-1, 7.2.6).
enum MP4Descriptors {
    /// Content of DecoderSpecificInfo; `nil` if none exists.
    static func specific(in bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        // ES_Descriptor has three bytes before DecoderConfigDescriptor, which has thirteen before its own descriptors.
        guard let stream = content(0x03, of: bytes), let decoder = content(0x04, of: stream.dropFirst(3)) else {
            return nil
        }
        return content(0x05, of: decoder.dropFirst(13))
    }

    /// Content of a descriptor that the bytes begin with.
    private static func content(_ tag: UInt8, of bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard bytes.first == tag else { return nil }
        var length = 0
        for (index, byte) in bytes.dropFirst().prefix(4).enumerated() {
            length = length << 7 | Int(byte & 0x7F)
            if byte & 0x80 == 0 {
                let rest = bytes.dropFirst(index + 2)
                return rest.count >= length ? rest.prefix(length) : nil
            }
        }
        return nil
    }
}

/// Access by boxes.
extension RecoverySource {
    /// Header of a box at an offset; `nil` if none exists.
    func box(at offset: Int64) throws(CaptureError) -> MP4BoxHead? {
        MP4BoxHead(try read(at: offset, MP4BoxHead.most)[...], at: offset)
    }
}
