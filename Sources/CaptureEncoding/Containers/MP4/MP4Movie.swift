import CaptureBase

/// MovieBox: of a file that grows, whose samples are in fragments, or of a finished one, with tables of all samples.
struct MP4Movie {
    let tracks: [MP4Track]
    let tags: ClipTags
    /// Nanoseconds since 1970 in UTC.
    let startedAt: Int64
    /// Nanoseconds until which video lasts at least; `nil` for a file of fragments.
    let end: Int64?

    /// Ticks per second of the movie: a multiple of every track's, so that edits are exact, if that is not too large.
    var timescale: Int64 {
        let scales = tracks.map(\.timescale)
        let common = scales.reduce(Int64(1)) { common, scale in
            var (a, b) = (common, scale)
            while b != 0 { (a, b) = (b, a % b) }
            return common > Self.mostTimescale ? common : common / a * scale
        }
        return common <= Self.mostTimescale ? common : scales.first ?? 1000
    }

    private static let mostTimescale: Int64 = 100_000_000

    /// Complete box (ISO/IEC 14496-12, 8.2.1).
    /// - Parameter shift: bytes by which the data will move back in the file.
    func bytes(shiftedBy shift: Int64 = 0) -> [UInt8] {
        let edits = tracks.map { self.edits(of: $0) }
        let duration = edits.map { $0.reduce(0) { $0 + $1.duration } }.max() ?? 0
        var boxes = MP4Boxes()
        boxes.box(.movie) { movie in
            appendHeader(duration, to: &movie)
            for (track, edits) in zip(tracks, edits) { append(track, edits, shift, to: &movie) }
            if end == nil { appendExtends(to: &movie) }
            MP4Tags(tags: tags).append(to: &movie)
        }
        return boxes.bytes
    }

    /// Seconds since 1904-01-01T00:00:00Z.
    private var creationTime: Int64 { max(startedAt / 1_000_000_000 + 2_082_844_800, 0) }

    /// Creation and modification time, the fields between them and a duration, and the duration, in 64 bits if 32 are too few.
    private func times(_ duration: Int64, _ between: (inout MP4Boxes) -> Void, to box: inout MP4Boxes) {
        let isLong = isLong(duration)
        for _ in 0..<2 { box.put(creationTime, isLong ? 8 : 4) }
        between(&box)
        box.put(duration, isLong ? 8 : 4)
    }

    private func isLong(_ duration: Int64) -> Bool { max(creationTime, duration) > Int64(UInt32.max) }

    /// MovieHeaderBox (8.2.2).
    private func appendHeader(_ duration: Int64, to movie: inout MP4Boxes) {
        movie.fullBox(.movieHeader, version: isLong(duration) ? 1 : 0) { header in
            times(duration, { $0.put(timescale, 4) }, to: &header)
            // Normal rate and full volume, then reserved bytes.
            header.fixed(1, 4)
            header.fixed(1, 2)
            header.zeros(10)
            header.unityMatrix()
            header.zeros(24)
            header.put((tracks.map(\.number).max() ?? 0) + 1, 4)
        }
    }

    /// MovieExtendsBox (8.8.1): defaults of each track's fragments, which state their own. By that of the duration a recovery
    /// knows the frame rate.
    private func appendExtends(to movie: inout MP4Boxes) {
        movie.box(.movieExtends) { extends in
            for track in tracks {
                extends.fullBox(.trackExtends) { box in
                    // Number, sample description, duration, size, and flags.
                    for value in [track.number, 1, Int(track.nominalTicks), 0, MP4Track.keyFlags] { box.put(value, 4) }
                }
            }
        }
    }
}

extension MP4Movie {
    /// Entry of an edit list (8.6.6).
    struct Edit {
        /// Ticks of the movie; 0 in a file of fragments, whose end is not known.
        let duration: Int64
        /// Tick of the track that is shown first; -1 for nothing.
        let mediaTime: Int64
    }

    /// Nothing until the track begins, then the track without what a decoder makes ahead of its first sample.
    private func edits(of track: MP4Track) -> [Edit] {
        guard end != nil, track.table.count > 0 else { return [Edit(duration: 0, mediaTime: track.delay)] }
        let heard = max(mediaDuration(of: track) - track.delay, 0)
        let edit = Edit(duration: inMovie(heard, of: track), mediaTime: track.delay)
        let start = inMovie(track.table.start, of: track)
        return start > 0 ? [Edit(duration: start, mediaTime: -1), edit] : [edit]
    }

    /// Ticks of the movie, rounded up, so that no edit ends ahead of its last sample.
    private func inMovie(_ ticks: Int64, of track: MP4Track) -> Int64 {
        let (seconds, rest) = ticks.quotientAndRemainder(dividingBy: track.timescale)
        return seconds * timescale + (rest * timescale + track.timescale - 1) / track.timescale
    }

    /// Duration of all samples in ticks of the track.
    private func mediaDuration(of track: MP4Track) -> Int64 { track.table.duration(until: end(of: track)) }

    /// Tick until which the last sample lasts at least: audio ends at its own end.
    private func end(of track: MP4Track) -> Int64 { track.track.kind == .video ? track.ticks(end ?? 0) : 0 }

    /// TrackBox (8.3.1).
    private func append(_ track: MP4Track, _ edits: [Edit], _ shift: Int64, to movie: inout MP4Boxes) {
        let duration = edits.reduce(0) { $0 + $1.duration }
        movie.box(.track) { box in
            appendHeader(of: track, duration, to: &box)
            if edits.count > 1 || edits.contains(where: { $0.mediaTime != 0 }) { Self.append(edits, to: &box) }
            box.box(.media) { media in
                let duration = end == nil ? 0 : mediaDuration(of: track)
                media.fullBox(.mediaHeader, version: isLong(duration) ? 1 : 0) { header in
                    times(duration, { $0.put(track.timescale, 4) }, to: &header)
                    // "und" in three letters of five bits, then a reserved field.
                    header.put(0x55C4, 2)
                    header.zeros(2)
                }
                appendHandler(of: track, to: &media)
                appendInformation(of: track, shift, to: &media)
            }
            MP4Tags.append(tags.tags(of: track.track, track.number - 1), to: &box)
        }
    }

    /// TrackHeaderBox (8.3.2): enabled, in the movie, and in its preview.
    private func appendHeader(of track: MP4Track, _ duration: Int64, to box: inout MP4Boxes) {
        box.fullBox(.trackHeader, version: isLong(duration) ? 1 : 0, flags: 7) { header in
            times(
                duration,
                {
                    $0.put(track.number, 4)
                    $0.zeros(4)
                }, to: &header)
            // Reserved bytes, layer and group; volume of audio; reserved bytes.
            header.zeros(12)
            header.fixed(track.track.kind == .audio ? 1 : 0, 2)
            header.zeros(2)
            header.unityMatrix()
            let (width, height) = Self.shownSize(of: track.track)
            header.put(width, 4)
            header.put(height, 4)
        }
    }

    /// Size on the screen as fixed-point numbers: pixels that are not square make a frame wider or narrower.
    private static func shownSize(of track: ClipTrack) -> (Int, Int) {
        guard let format = track.video else { return (0, 0) }
        let aspect = format.pixelAspect
        let width = (format.width << 16) * (aspect?.width ?? 1) / (aspect?.height ?? 1)
        return (width, format.height << 16)
    }

    /// EditListBox (8.6.6).
    private static func append(_ edits: [Edit], to box: inout MP4Boxes) {
        let isLong = edits.contains { max($0.duration, $0.mediaTime) > Int64(Int32.max) }
        box.box(.edits) { box in
            box.fullBox(.editList, version: isLong ? 1 : 0) { list in
                list.put(edits.count, 4)
                for edit in edits {
                    list.put(edit.duration, isLong ? 8 : 4)
                    list.put(edit.mediaTime, isLong ? 8 : 4)
                    list.fixed(1, 4)
                }
            }
        }
    }

    /// HandlerBox (8.4.3), whose name players show as the track's.
    private func appendHandler(of track: MP4Track, to media: inout MP4Boxes) {
        media.fullBox(.handler) { handler in
            handler.zeros(4)
            handler.put(track.track.kind == .video ? MP4Type("vide") : MP4Type("soun"))
            handler.zeros(12)
            handler.string(track.track.name)
        }
    }

    /// MediaInformationBox (8.4.4): the samples are in this file.
    private func appendInformation(of track: MP4Track, _ shift: Int64, to media: inout MP4Boxes) {
        media.box(.mediaInformation) { information in
            if track.track.kind == .video {
                information.fullBox(.videoHeader, flags: 1) { $0.zeros(8) }
            } else {
                information.fullBox(.soundHeader) { $0.zeros(4) }
            }
            information.box(.dataInformation) { data in
                data.fullBox(.dataReference) { references in
                    references.put(1, 4)
                    references.fullBox(.dataURL, flags: 1)
                }
            }
            information.box(.sampleTable) { table in
                table.fullBox(.sampleDescription) { description in
                    description.put(1, 4)
                    track.entry?.append(to: &description)
                }
                let samples = end == nil ? MP4SampleTable() : track.table
                samples.append(to: &table, until: end(of: track), shiftedBy: shift)
                if end != nil { appendRoll(of: track, to: &table) }
            }
        }
    }

    /// Packets that a decoder needs ahead of one that it starts at: the sample group `roll` (10.1).
    private func appendRoll(of track: MP4Track, to table: inout MP4Boxes) {
        let (preRoll, packet) = (track.ticks(track.encoder.description.preRoll), track.table.firstDuration)
        guard preRoll > 0, packet > 0 else { return }
        table.fullBox(MP4Type("sgpd"), version: 1) { group in
            group.put(MP4Type("roll"))
            // Bytes of a description, and their number.
            group.put(2, 4)
            group.put(1, 4)
            group.put(-((preRoll + packet - 1) / packet), 2)
        }
        table.fullBox(MP4Type("sbgp")) { group in
            group.put(MP4Type("roll"))
            for value in [1, track.table.count, 1] { group.put(value, 4) }
        }
    }
}
