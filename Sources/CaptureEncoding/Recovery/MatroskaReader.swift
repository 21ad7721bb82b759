import CaptureGate

/// What stands before the clusters of a Matroska file, and the tags behind them, read without trust.
struct RecoveredMatroskaHeader {
    private(set) var tracks: [MatroskaTrack] = []
    /// Where the clusters begin.
    let end: Int64
    private(set) var title: String?
    /// Nanoseconds a tick.
    private(set) var scale: Int64 = 1_000_000
    /// Nanoseconds from 1970.
    private(set) var startedAt: Int64 = 0
    private(set) var tags: [String: String] = [:]
    /// Devices' ids, by the tracks' numbers.
    private var devices: [UInt64: String] = [:]

    /// No head is larger, bytes.
    private static let most: Int64 = 4 << 20

    init(_ source: RecoverySource) throws(CaptureError) {
        let segment = MatroskaID.segment.bytes
        guard let start = try source.find(segment, from: 0, before: 4096),
            let element = try source.element(at: start)
        else { throw source.broken("its head is damaged") }
        let first = try Self.firstCluster(source, from: element.contentAt)
        let bytes = try source.read(at: element.contentAt, Int(first - element.contentAt))
        let parts = MatroskaChildren(bytes[...]).map { ($0.id, $0.content) }
        end = first
        for (id, content) in parts where id == MatroskaID.info.rawValue { readInfo(content) }
        for (id, content) in parts where id == MatroskaID.tags.rawValue { readTags(content) }
        for (id, content) in parts where id == MatroskaID.tracks.rawValue { readTracks(content) }
        guard !tracks.isEmpty, Set(tracks.map(\.number)).count == tracks.count else {
            throw source.broken("what its head says of the tracks is damaged")
        }
    }

    private mutating func readTracks(_ content: ArraySlice<UInt8>) {
        tracks += MatroskaChildren(content).compactMap { MatroskaTrack(recovering: $0.content, devices: devices) }
    }

    /// The tags of a file that was finished but for its name stand behind the clusters.
    private static func firstCluster(_ source: RecoverySource, from start: Int64) throws(CaptureError) -> Int64 {
        try source.find(MatroskaID.cluster.bytes, from: start, before: start + most) ?? min(source.size, start + most)
    }

    private mutating func readInfo(_ content: ArraySlice<UInt8>) {
        var isOurs = false
        for (id, content) in MatroskaChildren(content) {
            switch MatroskaID(rawValue: id) {
            case .muxingApp: isOurs = content.text == MatroskaHeader.application
            case .timestampScale: scale = min(max(Int64(clamping: content.unsigned), 1), 1_000_000_000)
            case .title: title = content.text
            case .dateUTC:
                let time = Int64(bitPattern: content.unsigned)
                startedAt = time.addingReportingOverflow(978_307_200_000_000_000).partialValue
            default: break
            }
        }
        // Another is damage.
        if isOurs { scale = MatroskaTime.scale }
    }

    /// Those of the whole clip, and of a track its device's id.
    mutating func readTags(_ content: ArraySlice<UInt8>) {
        for (_, tag) in MatroskaChildren(content) {
            let parts = MatroskaChildren(tag).map { ($0.id, $0.content) }
            let targets = parts.first { $0.0 == MatroskaID.targets.rawValue }?.1 ?? []
            let track = MatroskaChildren(targets).first { $0.id == MatroskaID.tagTrackUID.rawValue }?.content.unsigned
            for (id, content) in parts where id == MatroskaID.simpleTag.rawValue { readTag(content, of: track) }
        }
    }

    private mutating func readTag(_ content: ArraySlice<UInt8>, of track: UInt64?) {
        var (name, text) = ("", "")
        for (id, content) in MatroskaChildren(content) {
            if id == MatroskaID.tagName.rawValue { name = content.text }
            if id == MatroskaID.tagString.rawValue { text = content.text }
        }
        if let track {
            if name == "DEVICE_ID" { devices[track] = text }
        } else if !name.isEmpty, name != "TITLE" {
            tags[name] = text
        }
    }

    static func isInCluster(_ id: UInt32) -> Bool {
        [MatroskaID.timestamp, .simpleBlock, .blockGroup, .void].contains { $0.rawValue == id }
    }

    static func isInSegment(_ id: UInt32) -> Bool {
        [MatroskaID.cluster, .cues, .tags, .seekHead].contains { $0.rawValue == id }
    }
}

/// An element of a file that is being recovered, read without trust.
struct MatroskaElement: Hashable {
    let id: UInt32
    let start: Int64
    let contentAt: Int64
    /// `nil` for "unknown".
    let length: Int64?

    /// Behind its content; `nil` where that is not known.
    var end: Int64? { length.map { contentAt + $0 } }

    /// The longest id and length, bytes.
    static let most = 12

    /// - Parameter bytes: from its start on.
    /// - Returns: `nil` for what is no element.
    init?(_ bytes: ArraySlice<UInt8>, at start: Int64) {
        guard let first = bytes.first, first >= 0x10 else { return nil }
        let idWidth = first.leadingZeroBitCount + 1
        guard bytes.count > idWidth else { return nil }
        id = bytes.prefix(idWidth).reduce(0) { $0 << 8 | UInt32($1) }
        let rest = bytes.dropFirst(idWidth)
        guard let lead = rest.first, lead > 0 else { return nil }
        let width = lead.leadingZeroBitCount + 1
        guard rest.count >= width else { return nil }
        let value =
            rest.prefix(width).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } & (UInt64(1) << (7 * UInt64(width)) - 1)
        self.start = start
        contentAt = start + Int64(idWidth + width)
        length = value == UInt64(1) << (7 * UInt64(width)) - 1 ? nil : Int64(value)
    }

    func isOf(_ kind: MatroskaID) -> Bool { id == kind.rawValue }
}

/// The children of an element that is in memory.
struct MatroskaChildren: Sequence, IteratorProtocol {
    private let bytes: ArraySlice<UInt8>
    private var at: Int

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        at = bytes.startIndex
    }

    /// Ends at the first one that is none or does not fit.
    mutating func next() -> (id: UInt32, content: ArraySlice<UInt8>)? {
        guard at < bytes.endIndex, let element = MatroskaElement(bytes[at...], at: Int64(at)), let end = element.end,
            end <= Int64(bytes.endIndex)
        else { return nil }
        at = Int(end)
        return (element.id, bytes[Int(element.contentAt)..<at])
    }
}

extension ArraySlice<UInt8> {
    /// As EBML's unsigned integer; 0 for more than eight bytes.
    var unsigned: UInt64 { count <= 8 ? reduce(0) { $0 << 8 | UInt64($1) } : 0 }

    /// As EBML's float.
    var number: Double {
        switch count {
        case 4: Double(Float(bitPattern: UInt32(truncatingIfNeeded: unsigned)))
        case 8: Double(bitPattern: unsigned)
        default: 0
        }
    }

    var text: String { String(decoding: prefix { $0 != 0 }, as: UTF8.self) }
}

extension MatroskaTrack {
    /// Reads a TrackEntry.
    /// - Parameter devices: their ids, by number.
    /// - Returns: `nil` for what this module would not have written.
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

    private static func video(_ codec: CodecDescription, _ size: (UInt64, UInt64), _ duration: UInt64) -> VideoFormat? {
        let codes = ["YUY2": "YUYV", "UYVY": "UYVY", "NV12": "NV12", "I420": "YU12", "Y800": "GREY"]
        let code = codes[String(decoding: codec.uncompressedFourCC, as: UTF8.self)]
        let pixelFormat = codec.matroskaID == "V_MJPEG" ? PixelFormat.mjpeg : code.flatMap { PixelFormat($0) }
        guard let pixelFormat, (1...65_535).contains(size.0), (1...65_535).contains(size.1),
            (1...1_000_000_000_000).contains(duration), let rate = FrameRate(1_000_000_000, Int(duration))
        else { return nil }
        return VideoFormat(
            width: Int(size.0), height: Int(size.1), pixelFormat: pixelFormat, frameRate: rate, bytesPerLine: 0,
            colorimetry: codec.colorimetry)
    }

    private static func audio(_ codec: CodecDescription, _ rate: Double, _ channels: UInt64) -> AudioFormat? {
        guard rate >= 1, rate <= 655_350, (1...255).contains(channels) else { return nil }
        let sample: SampleFormat
        switch (codec.matroskaID, codec.bitDepth) {
        case ("A_OPUS", _): sample = .float32
        case ("A_FLAC", _): sample = .s32
        case ("A_PCM/INT/LIT", 16): sample = .s16
        case ("A_PCM/INT/LIT", 24): sample = .s24Packed
        case ("A_PCM/INT/LIT", 32): sample = .s32
        case ("A_PCM/FLOAT/IEEE", 32): sample = .float32
        default: return nil
        }
        return AudioFormat(sampleRate: Int(rate), channels: Int(channels), sampleFormat: sample)
    }
}

/// Stands where a track's encoder would: its packets exist already.
///
/// *session-bound*
final class RecoveredCodec: Encoder {
    let description: CodecDescription
    let counts = EncoderCounts()
    private let checksum = FLACChecksum()

    init(_ description: CodecDescription) { self.description = description }

    func begin() {}
    func encode(_ data: RawSpan, at nanoseconds: Int64, into packets: inout PacketBuffer) throws(CaptureError) {
        throw CaptureError(.usage, "A recovered track takes no frames.")
    }
    func finish(into packets: inout PacketBuffer) {}

    /// How many frames a packet holds: pictures, or samples of each channel.
    /// - Returns: `nil` for one that is damaged, as far as its codec lets that be known.
    func frames(in packet: ArraySlice<UInt8>, of track: ClipTrack) -> Int64? {
        switch description.matroskaID {
        case "V_MJPEG": packet.starts(with: [0xFF, 0xD8]) && packet.suffix(2) == [0xFF, 0xD9] ? 1 : nil
        case "A_FLAC": flacFrames(packet)
        case "A_OPUS": OpusPacket.samples(packet)
        default: plainFrames(packet, of: track)
        }
    }

    private func flacFrames(_ packet: ArraySlice<UInt8>) -> Int64? {
        guard let head = FLACFrameHeader(Array(packet.prefix(FLACFrameHeader.most + 1)), at: 0, checksum) else {
            return nil
        }
        return checksum.frame(packet) == 0 ? Int64(head.blockFrames) : nil
    }

    private func plainFrames(_ packet: ArraySlice<UInt8>, of track: ClipTrack) -> Int64? {
        switch track.media {
        case .audio(let format):
            packet.count.isMultiple(of: format.bytesPerFrame) ? Int64(packet.count / format.bytesPerFrame) : nil
        case .video(let format): RawFrameLayout(format)?.packedByteCount == packet.count ? 1 : nil
        }
    }
}
