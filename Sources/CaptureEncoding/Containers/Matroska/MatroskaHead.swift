import CaptureGate

/// What stands before the first cluster, with places for what only the end knows.
struct MatroskaHeader {
    private(set) var bytes: [UInt8] = []
    /// Of the Segment's length, eight bytes.
    private(set) var segmentLengthAt = 0
    /// Where the Segment's content begins: positions in it count from here. The SeekHead's place comes first.
    private(set) var segmentAt = 0
    private(set) var infoAt = 0
    /// Of the place for Duration, which ends Info.
    private(set) var durationAt = 0
    private(set) var tracksAt = 0
    /// Of each track's CodecPrivate.
    private(set) var privateAt: [Int] = []

    static let application = "CaptureGate"
    static let seekHeadSize = 124
    static let durationSize = 11

    init(tracks: [MatroskaTrack], labels: ClipLabels, startedAt: Int64) {
        bytes = Self.fileType
        bytes += MatroskaID.segment.bytes
        segmentLengthAt = bytes.count
        bytes += EBML.unknownLength
        segmentAt = bytes.count
        var place = EBML()
        place.void(size: Self.seekHeadSize)
        bytes += place.bytes
        appendInfo(labels, startedAt)
        appendTracks(tracks)
        // So that a file that is never finished tells them too.
        bytes += MatroskaTags(tracks: tracks, labels: labels).element
    }

    private static var fileType: [UInt8] {
        var file = EBML()
        file.master(.ebml) { file in
            file.unsigned(.ebmlVersion, 1)
            file.unsigned(.ebmlReadVersion, 1)
            file.unsigned(.ebmlMaxIDLength, 4)
            file.unsigned(.ebmlMaxSizeLength, 8)
            file.string(.docType, "matroska")
            file.unsigned(.docTypeVersion, 4)
            file.unsigned(.docTypeReadVersion, 2)
        }
        return file.bytes
    }

    private mutating func appendInfo(_ labels: ClipLabels, _ startedAt: Int64) {
        infoAt = bytes.count
        var info = EBML()
        info.master(.info) { info in
            info.unsigned(.timestampScale, UInt64(MatroskaTime.scale))
            info.string(.muxingApp, Self.application)
            info.string(.writingApp, Self.application)
            // Matroska counts from 2001-01-01T00:00:00Z.
            info.signed(.dateUTC, startedAt.subtractingReportingOverflow(978_307_200_000_000_000).partialValue)
            if let title = labels.title { info.string(.title, title) }
            info.void(size: Self.durationSize)
        }
        bytes += info.bytes
        durationAt = bytes.count - Self.durationSize
    }

    private mutating func appendTracks(_ tracks: [MatroskaTrack]) {
        tracksAt = bytes.count
        let entries = tracks.map(\.entry)
        let content = entries.reduce(0) { $0 + $1.count }
        bytes += MatroskaID.tracks.bytes + EBML.length(content)
        for (track, entry) in zip(tracks, entries) {
            bytes += entry
            // CodecPrivate ends the entry.
            privateAt.append(bytes.count - track.encoder.description.privateBytes.count)
        }
    }
}
