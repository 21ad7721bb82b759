import CaptureBase

/// Elements ahead of the first cluster, with room for those that only the end knows.
struct MatroskaHeader {
    /// Written elements.
    private(set) var bytes: [UInt8] = []
    /// Offset of the Segment's length, eight bytes.
    private(set) var segmentLengthAt = 0
    /// Offset of the Segment's content, from which all positions count. The SeekHead's room comes
    /// first.
    private(set) var segmentAt = 0
    /// Offset of Info.
    private(set) var infoAt = 0
    /// Offset of the room for Duration, at the end of Info.
    private(set) var durationAt = 0
    /// Offset of Tracks.
    private(set) var tracksAt = 0
    /// Offset of each track's CodecPrivate, which is final only at the end.
    private(set) var privateAt: [Int] = []

    /// DocType of WebM.
    static let webm = "webm"
    /// Space for five Seek entries and the Void element after them.
    static let seekHeadSize = 124
    /// Duration: id, length, and a float of eight bytes.
    static let durationSize = 11

    /// - Parameters:
    ///   - format: Matroska or WebM.
    ///   - tracks: in the order of the file, begun.
    ///   - labels: title and tags.
    ///   - startedAt: nanoseconds since 1970 in UTC.
    init(_ format: ClipFormat, tracks: [MatroskaTrack], labels: ClipLabels, startedAt: Int64) {
        bytes = Self.fileType(format == .webm ? Self.webm : "matroska")
        bytes += MatroskaID.segment.bytes
        segmentLengthAt = bytes.count
        bytes += EBML.unknownLength
        segmentAt = bytes.count
        var place = EBML()
        place.void(size: Self.seekHeadSize)
        bytes += place.bytes
        appendInfo(labels, startedAt)
        appendTracks(tracks)
        // Tags already here, so that a file that is never finished has them too.
        bytes += MatroskaTags(tracks: tracks, labels: labels).element
    }

    /// EBML header: ids of at most four bytes, lengths of at most eight, version 4 readable by
    /// version 2 readers.
    private static func fileType(_ type: String) -> [UInt8] {
        var file = EBML()
        file.master(.ebml) { file in
            file.unsigned(.ebmlVersion, 1)
            file.unsigned(.ebmlReadVersion, 1)
            file.unsigned(.ebmlMaxIDLength, 4)
            file.unsigned(.ebmlMaxSizeLength, 8)
            file.string(.docType, type)
            file.unsigned(.docTypeVersion, 4)
            file.unsigned(.docTypeReadVersion, 2)
        }
        return file.bytes
    }

    /// Info (RFC 9559, 5.1.2), which ends with the room for Duration.
    private mutating func appendInfo(_ labels: ClipLabels, _ startedAt: Int64) {
        infoAt = bytes.count
        var info = EBML()
        info.master(.info) { info in
            info.unsigned(.timestampScale, UInt64(MatroskaTime.scale))
            info.string(.muxingApp, ClipTags.application)
            info.string(.writingApp, ClipTags.application)
            // DateUTC counts from 2001-01-01T00:00:00Z.
            info.signed(.dateUTC, startedAt.subtractingReportingOverflow(978_307_200_000_000_000).partialValue)
            if let title = labels.title { info.string(.title, title) }
            // Duration takes this room at the end; a file that is never finished has a Void there, and no wrong
            // duration.
            info.void(size: Self.durationSize)
        }
        bytes += info.bytes
        durationAt = bytes.count - Self.durationSize
    }

    /// Tracks (RFC 9559, 5.1.4).
    private mutating func appendTracks(_ tracks: [MatroskaTrack]) {
        tracksAt = bytes.count
        let entries = tracks.map(\.entry)
        // The entries are made once: their encoders' CodecPrivate is needed at a known offset.
        let content = entries.reduce(0) { $0 + $1.count }
        bytes += MatroskaID.tracks.bytes + EBML.length(content)
        for (track, entry) in zip(tracks, entries) {
            bytes += entry
            // CodecPrivate ends the entry.
            privateAt.append(bytes.count - track.encoder.description.privateBytes.count)
        }
    }
}

/// Tags of a clip and of its tracks, as Matroska stores them.
struct MatroskaTags {
    let tracks: [MatroskaTrack]
    let tags: ClipTags

    init(
        tracks: [MatroskaTrack], labels: ClipLabels, ledger: LossLedger? = nil, end: EndReason? = nil,
        set chapters: [ClipChapter] = []
    ) {
        self.tracks = tracks
        tags = ClipTags(tracks: tracks.map(\.track), labels: labels, ledger: ledger, end: end, set: chapters)
    }

    /// Tags (RFC 9559, 5.1.8): one Tag for the clip, then one for each track.
    var element: [UInt8] {
        var element = EBML()
        element.master(.tags) { element in
            // A Tag has at least one SimpleTag (5.1.8.1.2), and a clip without labels none until its end.
            if tags.labels.title != nil || !tags.clip.isEmpty {
                element.master(.tag) { tag in
                    // TargetTypeValue 50 is the whole clip, 30 a track.
                    tag.master(.targets) { $0.unsigned(.targetTypeValue, 50) }
                    if let title = tags.labels.title { Self.append("TITLE", title, to: &tag) }
                    for (name, text) in tags.clip { Self.append(name, text, to: &tag) }
                }
            }
            for track in tracks { append(track, to: &element) }
        }
        return element.bytes
    }

    /// Name and id of a track's device, and the figures of its clock.
    private func append(_ track: MatroskaTrack, to element: inout EBML) {
        element.master(.tag) { tag in
            tag.master(.targets) { targets in
                targets.unsigned(.targetTypeValue, 30)
                targets.unsigned(.tagTrackUID, UInt64(track.number))
            }
            for (name, text) in tags.tags(of: track.track, track.number - 1) { Self.append(name, text, to: &tag) }
        }
    }

    private static func append(_ name: String, _ text: String, to tag: inout EBML) {
        tag.master(.simpleTag) { simple in
            simple.string(.tagName, name)
            simple.string(.tagString, text)
        }
    }

    /// Chapters (RFC 9559, 5.1.7); `nil` if there are none and no loss is marked.
    var chapters: [UInt8]? {
        let marks = tags.chapters
        guard !marks.isEmpty else { return nil }
        var chapters = EBML()
        chapters.master(.chapters) { chapters in
            chapters.master(.editionEntry) { edition in
                for (number, mark) in marks.enumerated() {
                    Self.append(UInt64(number + 1), mark.at, mark.text, to: &edition)
                }
            }
        }
        return chapters.bytes
    }

    /// ChapterAtom with one name, in English.
    private static func append(_ number: UInt64, _ nanoseconds: Int64, _ text: String, to edition: inout EBML) {
        edition.master(.chapterAtom) { atom in
            atom.unsigned(.chapterUID, number)
            atom.unsigned(.chapterTimeStart, UInt64(max(0, nanoseconds)))
            atom.master(.chapterDisplay) { display in
                display.string(.chapString, text)
                display.string(.chapLanguage, "eng")
            }
        }
    }
}
