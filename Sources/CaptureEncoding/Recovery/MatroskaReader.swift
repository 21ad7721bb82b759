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

/// The times of a file's blocks, none believed that can't be.
///
/// A block is judged by those of its own track before it: a track that was silent for a while may be written behind others
/// that went on. However the blocks are spread over clusters, what is judged once is judged the same again.
///
/// *session-bound*
struct MatroskaBlockTimestamps {
    /// What a track's blocks take so far, nanoseconds.
    private struct Track {
        var start: Int64 = 0
        var end: Int64?
        var length: Int64 = 0
    }

    private var tracks: [Track]
    /// Where the last of all tracks ends, nanoseconds.
    private var end: Int64 = 0
    /// Nanoseconds.
    private var clusterTime: Int64 = 0
    private var isClusterJudged = true

    /// A recording that stood still for longer would have been ended, nanoseconds.
    private static let longestPause: Int64 = 3_600_000_000_000
    /// How far a block's damaged time may lie before the last block's for it to be put behind that, nanoseconds.
    private static let longestStepBack: Int64 = 1_000_000_000
    /// No clip is longer; sums of such times don't overflow, nanoseconds.
    private static let longestClip: Int64 = 1 << 60

    init(tracks count: Int) { tracks = Array(repeating: Track(), count: count) }

    /// - Parameter time: of the cluster; `nil` for one that is no number, nanoseconds.
    mutating func beginCluster(at time: Int64?) {
        clusterTime = min(time ?? .max, 2 * Self.longestClip)
        isClusterJudged = false
    }

    /// The time of a track's next block. Where a cluster's own time can't be, the cluster goes where the track ended.
    ///
    /// - Parameter offset: from the cluster's time, nanoseconds.
    /// - Returns: `nil` for a block that is damaged.
    mutating func time(_ offset: Int64, of track: Int, lasting duration: Int64) -> Int64? {
        guard duration <= Self.longestClip - tracks[track].length else { return nil }
        defer { isClusterJudged = true }
        if !isClusterJudged, !isPossible(clusterTime + offset, of: track), !isPossible(clusterTime, of: track) {
            clusterTime = tracks[track].end ?? end
        }
        return isPossible(clusterTime + offset, of: track) ? max(clusterTime + offset, 0) : nil
    }

    private func isPossible(_ time: Int64, of track: Int) -> Bool {
        // As it will be in the file.
        let time = MatroskaTime.nanoseconds(atTick: MatroskaTime.ticks(max(time, 0)))
        return time >= tracks[track].start - Self.longestStepBack
            && time <= min(end + Self.longestPause, Self.longestClip)
    }

    /// A block is in the new file.
    mutating func note(_ track: Int, at tick: Int64, lasting duration: Int64) {
        let start = MatroskaTime.nanoseconds(atTick: tick)
        tracks[track].start = start
        tracks[track].end = max(start + duration, tracks[track].end ?? 0)
        tracks[track].length += duration
        end = max(end, start + duration)
    }
}
