import CaptureBase

/// Elements before the clusters of a Matroska file, and the tags after them, read without trust.
struct RecoveredMatroskaHeader {
    /// Tracks whose entries this module could have written.
    private(set) var tracks: [MatroskaTrack] = []
    /// Matroska, or WebM by its DocType.
    let format: ClipFormat
    /// Offset of the first cluster.
    let end: Int64
    private(set) var title: String?
    /// Nanoseconds per tick; 1 ms is Matroska's default.
    private(set) var scale: Int64 = 1_000_000
    /// Nanoseconds since 1970 in UTC.
    private(set) var startedAt: Int64 = 0
    /// Tags of the whole clip.
    private(set) var tags: [String: String] = [:]
    /// Device ids by track number.
    private var devices: [UInt64: String] = [:]

    /// Bytes beyond which no header goes.
    private static let most: Int64 = 4 << 20

    /// - Throws: `.badInput` if no Segment or no track can be read.
    init(_ source: RecoverySource) throws(CaptureError) {
        format = try source.isWebM() ? .webm : .matroska
        let segment = MatroskaID.segment.bytes
        guard let start = try source.find(segment, from: 0, before: 4096),
            let element = try source.element(at: start)
        else { throw source.broken("its header is damaged") }
        let first = try Self.firstCluster(source, from: element.contentAt)
        let bytes = try source.read(at: element.contentAt, Int(first - element.contentAt))
        let parts = MatroskaChildren(bytes[...]).map { ($0.id, $0.content) }
        end = first
        // Tags ahead of the tracks, which take their device ids from them.
        for (id, content) in parts where id == MatroskaID.info.rawValue { readInfo(content) }
        for (id, content) in parts where id == MatroskaID.tags.rawValue { readTags(content) }
        for (id, content) in parts where id == MatroskaID.tracks.rawValue { readTracks(content) }
        guard !tracks.isEmpty, Set(tracks.map(\.number)).count == tracks.count else {
            throw source.broken("its track header is damaged")
        }
    }

    /// Reads the entries; ignores damaged ones.
    private mutating func readTracks(_ content: ArraySlice<UInt8>) {
        tracks += MatroskaChildren(content).compactMap { MatroskaTrack(recovering: $0.content, devices: devices) }
    }

    /// Offset of the first cluster; a file that was killed early has none.
    private static func firstCluster(_ source: RecoverySource, from start: Int64) throws(CaptureError) -> Int64 {
        try source.find(MatroskaID.cluster.bytes, from: start, before: start + most) ?? min(source.size, start + most)
    }

    /// Reads time scale, title and date.
    private mutating func readInfo(_ content: ArraySlice<UInt8>) {
        var isOurs = false
        for (id, content) in MatroskaChildren(content) {
            switch MatroskaID(rawValue: id) {
            case .muxingApp: isOurs = content.text == ClipTags.application
            case .timestampScale: scale = min(max(Int64(clamping: content.unsigned), 1), 1_000_000_000)
            case .title: title = content.text
            case .dateUTC:
                // DateUTC counts from 2001-01-01T00:00:00Z.
                let time = Int64(bitPattern: content.unsigned)
                startedAt = time.addingReportingOverflow(978_307_200_000_000_000).partialValue
            default: break
            }
        }
        // Our files have one scale; another is damage.
        if isOurs { scale = MatroskaTime.scale }
    }

    /// Reads the tags of the clip, and the device ids of its tracks. Also called for the tags after the clusters.
    mutating func readTags(_ content: ArraySlice<UInt8>) {
        for (_, tag) in MatroskaChildren(content) {
            let parts = MatroskaChildren(tag).map { ($0.id, $0.content) }
            let targets = parts.first { $0.0 == MatroskaID.targets.rawValue }?.1 ?? []
            let track = MatroskaChildren(targets).first { $0.id == MatroskaID.tagTrackUID.rawValue }?.content.unsigned
            for (id, content) in parts where id == MatroskaID.simpleTag.rawValue { readTag(content, of: track) }
        }
    }

    /// Reads one SimpleTag. The title is in Info, too.
    private mutating func readTag(_ content: ArraySlice<UInt8>, of track: UInt64?) {
        var (name, text) = ("", "")
        for (id, content) in MatroskaChildren(content) {
            if id == MatroskaID.tagName.rawValue { name = content.text }
            if id == MatroskaID.tagString.rawValue { text = content.text }
        }
        if let track {
            if name == ClipTags.device { devices[track] = text }
        } else if !name.isEmpty, name != "TITLE" {
            tags[name] = text
        }
    }

    /// Tells that an element belongs into a cluster of ours.
    static func isInCluster(_ id: UInt32) -> Bool {
        [MatroskaID.timestamp, .simpleBlock, .blockGroup, .void].contains { $0.rawValue == id }
    }

    /// Tells that an element may follow a cluster.
    static func isInSegment(_ id: UInt32) -> Bool {
        [MatroskaID.cluster, .cues, .tags, .seekHead].contains { $0.rawValue == id }
    }
}

/// Element header of a file that is being recovered, read without trust.
struct MatroskaElement: Hashable {
    let id: UInt32
    /// Offset of the id in the file.
    let start: Int64
    /// Offset of the content.
    let contentAt: Int64
    /// Bytes of the content; `nil` for "unknown" (RFC 8794, 6.2).
    let length: Int64?

    /// Offset after the content; `nil` if the length is unknown.
    var end: Int64? { length.map { contentAt + $0 } }

    /// Longest id and length in bytes: 4 and 8.
    static let most = 12

    /// Parses an id and a length (RFC 8794, 5 and 6).
    /// - Parameters:
    ///   - bytes: from the element's start on.
    ///   - start: its offset.
    /// - Returns: `nil` for anything else.
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

    /// Compares the id.
    func isOf(_ kind: MatroskaID) -> Bool { id == kind.rawValue }
}

/// Child elements of an element in memory.
struct MatroskaChildren: Sequence, IteratorProtocol {
    private let bytes: ArraySlice<UInt8>
    private var at: Int

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        at = bytes.startIndex
    }

    /// Next child; the sequence ends at the first that is broken or exceeds its parent.
    mutating func next() -> (id: UInt32, content: ArraySlice<UInt8>)? {
        guard at < bytes.endIndex, let element = MatroskaElement(bytes[at...], at: Int64(at)), let end = element.end,
            end <= Int64(bytes.endIndex)
        else { return nil }
        at = Int(end)
        return (element.id, bytes[Int(element.contentAt)..<at])
    }
}

/// Values of EBML elements (RFC 8794, 7).
extension ArraySlice<UInt8> {
    /// Unsigned integer; 0 for more than eight bytes.
    var unsigned: UInt64 { count <= 8 ? reduce(0) { $0 << 8 | UInt64($1) } : 0 }

    /// Float of four or eight bytes, otherwise 0.
    package var number: Double {
        switch count {
        case 4: Double(Float(bitPattern: UInt32(truncatingIfNeeded: unsigned)))
        case 8: Double(bitPattern: unsigned)
        default: 0
        }
    }

    /// Text up to a terminating zero, which padded strings have.
    var text: String { String(decoding: prefix { $0 != 0 }, as: UTF8.self) }
}

/// Plausibility check of block timestamps.
///
/// A block is compared with earlier blocks of its own track, because a track that was silent for a while may be written after
/// others that continued. The result does not depend on how blocks are spread over clusters, so recovering a recovered file
/// changes nothing.
///
/// *session-bound*
struct MatroskaBlockTimestamps {
    /// State of one track: its last block's start, its end, and the duration of its blocks, in
    /// nanoseconds.
    private struct Track {
        var start: Int64 = 0
        var end: Int64?
        var length: Int64 = 0
    }

    private var tracks: [Track]
    /// End of the last block of all tracks, in nanoseconds.
    private var end: Int64 = 0
    /// Timestamp of the cluster in nanoseconds.
    private var clusterTime: Int64 = 0
    /// The cluster's first block was read: its timestamp is accepted or replaced.
    private var isClusterJudged = true

    /// Largest gap in nanoseconds; a recording without data for longer would have ended.
    private static let longestPause: Int64 = 3_600_000_000_000
    /// Largest step back from the last block's start, in nanoseconds; such a block is stored after it.
    private static let longestStepBack: Int64 = 1_000_000_000
    /// Longest clip in nanoseconds; sums of such timestamps do not overflow.
    private static let longestClip: Int64 = 1 << 60

    /// - Parameter count: of tracks.
    init(tracks count: Int) { tracks = Array(repeating: Track(), count: count) }

    /// Begins a cluster.
    /// - Parameter time: its timestamp in nanoseconds; `nil` for one that does not fit into 64
    ///   bits.
    mutating func beginCluster(at time: Int64?) {
        clusterTime = min(time ?? .max, 2 * Self.longestClip)
        isClusterJudged = false
    }

    /// Timestamp of a track's next block, in nanoseconds.
    ///
    /// If a cluster's own timestamp is impossible, the cluster is put where the track ended.
    /// - Parameters:
    ///   - offset: from the cluster's timestamp, nanoseconds.
    ///   - track: index.
    ///   - duration: nanoseconds.
    /// - Returns: `nil` for a damaged block.
    mutating func time(_ offset: Int64, of track: Int, lasting duration: Int64) -> Int64? {
        guard duration <= Self.longestClip - tracks[track].length else { return nil }
        defer { isClusterJudged = true }
        if !isClusterJudged, !isPossible(clusterTime + offset, of: track), !isPossible(clusterTime, of: track) {
            clusterTime = tracks[track].end ?? end
        }
        return isPossible(clusterTime + offset, of: track) ? max(clusterTime + offset, 0) : nil
    }

    /// Checks a timestamp against the track's last block and the end of all.
    private func isPossible(_ time: Int64, of track: Int) -> Bool {
        // As it will be in the file.
        let time = MatroskaTime.nanoseconds(atTick: MatroskaTime.ticks(max(time, 0)))
        return time >= tracks[track].start - Self.longestStepBack
            && time <= min(end + Self.longestPause, Self.longestClip)
    }

    /// Notes a block that was stored.
    mutating func note(_ track: Int, at tick: Int64, lasting duration: Int64) {
        let start = MatroskaTime.nanoseconds(atTick: tick)
        tracks[track].start = start
        tracks[track].end = max(start + duration, tracks[track].end ?? 0)
        tracks[track].length += duration
        end = max(end, start + duration)
    }
}

extension RecoverySource {
    /// Tells WebM from Matroska by the DocType in the first bytes (RFC 8794, 11.2.5).
    func isWebM() throws(CaptureError) -> Bool {
        let type =
            MatroskaID.docType.bytes + EBML.length(MatroskaHeader.webm.utf8.count) + Array(MatroskaHeader.webm.utf8)
        return try find(type, from: 0, before: min(size, 64)) != nil
    }
}
