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

/// What a file says of itself: title, devices, how it ended, and its loss ledger as JSON.
struct MatroskaTags {
    let tracks: [MatroskaTrack]
    let labels: ClipLabels
    /// `nil` before the end.
    var ledger: LossLedger?
    var end: EndReason?

    /// Tags (RFC 9559, 5.1.8).
    var element: [UInt8] {
        var tags = EBML()
        tags.master(.tags) { tags in
            tags.master(.tag) { tag in
                tag.master(.targets) { $0.unsigned(.targetTypeValue, 50) }
                for (name, text) in clipTags { Self.append(name, text, to: &tag) }
            }
            for track in tracks { append(track, to: &tags) }
        }
        return tags.bytes
    }

    private var clipTags: [(String, String)] {
        let title = labels.title.map { [("TITLE", $0)] } ?? []
        let extra = labels.extra.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        let ending = end.map { [("END_REASON", $0.rawValue)] } ?? []
        return title + extra + ending + (ledger.map { [("LOSS_LEDGER", $0.json)] } ?? [])
    }

    private func append(_ track: MatroskaTrack, to tags: inout EBML) {
        tags.master(.tag) { tag in
            tag.master(.targets) { targets in
                targets.unsigned(.targetTypeValue, 30)
                targets.unsigned(.tagTrackUID, UInt64(track.number))
            }
            Self.append("DEVICE_NAME", track.track.name, to: &tag)
            if !track.track.device.isEmpty { Self.append("DEVICE_ID", track.track.device, to: &tag) }
            for (name, text) in clockTags(track) { Self.append(name, text, to: &tag) }
        }
    }

    /// How late the track began, and how its device's clock runs against CLOCK_MONOTONIC.
    private func clockTags(_ track: MatroskaTrack) -> [(String, String)] {
        guard let tracks = ledger?.tracks, tracks.indices.contains(track.number - 1) else { return [] }
        let ledger = tracks[track.number - 1]
        let offset = [("START_OFFSET_NS", String(ledger.startOffsetNanoseconds))]
        return offset + (ledger.driftPPM.map { [("DRIFT_PPM", String($0))] } ?? [])
    }

    private static func append(_ name: String, _ text: String, to tag: inout EBML) {
        tag.master(.simpleTag) { simple in
            simple.string(.tagName, name)
            simple.string(.tagString, text)
        }
    }
}

/// The losses of a clip as chapters, so that a player can go to them.
struct MatroskaChapters {
    let tracks: [ClipTrack]
    let ledger: LossLedger?

    /// Chapters (RFC 9559, 5.1.7); `nil` where nothing is marked.
    var element: [UInt8]? {
        let marks = marks
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

    private var marks: [(at: Int64, text: String)] {
        let all = zip(tracks, ledger?.tracks ?? []).flatMap { track, ledger in
            (ledger.marks ?? []).map { mark in
                let noun = (track.kind == .video ? "picture" : "sample") + (mark.frames == 1 ? "" : "s")
                return (at: mark.atNanoseconds, text: "\(mark.frames) \(noun) lost: \(track.name)")
            }
        }
        return all.sorted { $0.at < $1.at }
    }

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
