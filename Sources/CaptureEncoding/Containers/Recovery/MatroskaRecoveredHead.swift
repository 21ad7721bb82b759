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
