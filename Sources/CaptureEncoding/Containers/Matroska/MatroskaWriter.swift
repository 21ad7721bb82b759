import CaptureBase
import LinuxSystem

/// Matroska file (RFC 9559) that can be read up to its last whole cluster at any moment.
///
/// The Segment's length is unknown while it grows. Each cluster, of at most a second (the first of
/// at most 250 ms), is written in one piece. Duration, index and tags come at the end, and are left
/// out if the output can't be rewritten.
///
/// *session-bound*
final class MatroskaWriter: ClipWriter {
    /// Matroska or WebM, which is Matroska with fewer codecs.
    let format: ClipFormat
    /// Tracks in the order of the file.
    let tracks: [ClipTrack]

    /// The file or pipe.
    var output: ClipOutput
    var labels: ClipLabels
    let matroskaTracks: [MatroskaTrack]
    /// Header, with the offsets to patch at the end.
    let head: MatroskaHeader
    /// Pending cluster, whose memory is reused.
    var cluster = MatroskaCluster()
    /// Packets of one call, on their way into the cluster.
    var packets = PacketBuffer()
    /// Index, written behind the last cluster.
    var cues = MatroskaCues()
    /// End of the packets in the file, and of those in the pending cluster too, in nanoseconds.
    var end: Int64 = 0
    private var clusterEnd: Int64 = 0
    /// End that the clip was said to have, in nanoseconds.
    var clipEnd: Int64 = 0
    /// First output error; nothing is written after it.
    var failure: CaptureError?
    /// Chapters that a person set.
    private var chapters: [ClipChapter] = []
    /// `end` after each cluster.
    private var marks = WrittenMarks<Int64>()

    /// Begins a clip's encoders; the header is written with the first cluster.
    /// - Throws: `.usage` for more than 100 tracks, or a format that a codec can't hold.
    init(
        output: consuming ClipOutput, format: ClipFormat = .matroska, tracks: [ClipTrack], labels: ClipLabels,
        settings: EncoderSettings
    ) throws(CaptureError) {
        self.output = output
        self.format = format
        self.tracks = tracks
        self.labels = labels
        matroskaTracks = try Self.begin(tracks, settings, in: format)
        head = MatroskaHeader(
            format, tracks: matroskaTracks, labels: labels, startedAt: SystemClock.realtime.now)
        // Players seek by video if there is any.
        cues.track = (matroskaTracks.first { $0.track.kind == .video } ?? matroskaTracks[0]).number
    }

    /// Makes a writer of existing packets, for recovery.
    init(
        output: consuming ClipOutput, format: ClipFormat, recovering tracks: [MatroskaTrack], labels: ClipLabels,
        startedAt: Int64
    ) {
        self.output = output
        self.format = format
        self.tracks = tracks.map(\.track)
        self.labels = labels
        matroskaTracks = tracks
        head = MatroskaHeader(format, tracks: tracks, labels: labels, startedAt: startedAt)
        cues.track = (tracks.first { $0.track.kind == .video } ?? tracks.first)?.number ?? 1
    }

    private static func begin(
        _ tracks: [ClipTrack], _ settings: EncoderSettings, in format: ClipFormat
    ) throws(CaptureError) -> [MatroskaTrack] {
        // A block's track number then fits into one byte.
        guard tracks.count <= 100 else { throw CaptureError(.usage, "A clip holds at most 100 tracks.") }
        var begun: [MatroskaTrack] = []
        for (index, track) in tracks.enumerated() {
            let encoder = settings.encoder(for: track)
            if format == .webm { try checkWebM(encoder.description.matroskaID) }
            try encoder.begin()
            begun.append(MatroskaTrack(number: index + 1, track: track, encoder: encoder))
        }
        return begun
    }

    /// - Throws: `.usage` for a codec that browsers do not play.
    private static func checkWebM(_ codec: String) throws(CaptureError) {
        guard !["V_VP8", "V_VP9", "V_AV1", "A_OPUS"].contains(codec) else { return }
        throw CaptureError(
            .usage, "WebM can't hold \(codec.dropFirst(2)).",
            remedies: [Remedy("Choose VP8, VP9 or AV1 and Opus, or record to a name that ends in .mkv.")])
    }

    var bytesWritten: Int64 { output.bytesWritten }

    /// Header, pending cluster, encoder contents, index and tags.
    var pendingBytes: Int64 {
        let head = output.bytesWritten == 0 ? self.head.bytes.count : 0
        return Int64(head + cluster.byteCount + matroskaTracks.reduce(0) { $0 + $1.maxBufferedBytes } + tailBytes)
    }

    func counts(of track: Int) -> EncoderCounts { matroskaTracks[track].encoder.counts }

    func write(_ data: RawSpan, to track: Int, at nanoseconds: Int64) throws(CaptureError) {
        try checkTrack(track)
        if let failure { throw failure }
        let track = matroskaTracks[track]
        if try pass(data, of: track, at: max(nanoseconds, 0)) { return }
        packets.removeAll()
        try track.encoder.encode(data, at: max(nanoseconds, 0), into: &packets)
        try store(for: track)
    }

    /// Stores a frame from the driver's buffer.
    /// - Returns: false for a frame that must be encoded.
    private func pass(_ data: RawSpan, of track: MatroskaTrack, at time: Int64) throws(CaptureError) -> Bool {
        guard let encoder = track.passing, let place = encoder.pass(data) else { return false }
        let duration = encoder.format.frameRate.frameNanoseconds
        try data.extracting(place).withUnsafeBytes { (picture) throws(CaptureError) in
            try store(picture, for: track, at: time, lasting: duration, isKey: true)
        }
        return true
    }

    /// Stores the packets of a track's encoder.
    func store(for track: MatroskaTrack) throws(CaptureError) {
        for index in 0..<packets.count {
            try packets.withBytes(of: index) { (packet) throws(CaptureError) in
                try store(
                    packet, for: track, at: packets.time(of: index), lasting: packets.duration(of: index),
                    isKey: packets.isKey(index), discard: packets.discard(of: index))
            }
        }
    }

    /// Puts a packet into the cluster. A packet that fills one by itself is written from where it
    /// lies.
    private func store(
        _ packet: UnsafeRawBufferPointer, for track: MatroskaTrack, at time: Int64, lasting duration: Int64,
        isKey: Bool, discard: Int64 = 0
    ) throws(CaptureError) {
        // With DiscardPadding a packet is followed by more of its BlockGroup, so that it can't stay where it lies.
        let isLarge = packet.count > MatroskaCluster.usualLimit && discard == 0
        let tick = track.nextTick(time)
        // A player that seeks begins with a cluster, which then has nothing that needs frames ahead of it.
        let begins = isKey && track.isPredicted
        if isLarge || begins || cluster.mustEnd(before: tick, bytes: packet.count, limit: limit) { try flush() }
        if isKey { cues.note(track.number, tick) }
        if isLarge {
            cluster.appendHead(track: track.number, tick: tick, isKey: isKey, packetBytes: packet.count)
        } else {
            cluster.append(track: track.number, tick: tick, isKey: isKey, discard: discard, packet)
        }
        note(track, time, at: tick, lasting: duration)
        if isLarge {
            try flush(with: packet)
        } else if cluster.isFull(after: tick, lasting: duration / MatroskaTime.scale, limit: limit) {
            try flush()
        }
    }

    /// Duration of the pending cluster in ticks.
    private var limit: Int64 { output.bytesWritten == 0 ? MatroskaTime.firstCluster : MatroskaTime.longestCluster }

    /// Adds a packet to the totals, by the time that it has in the file.
    private func note(_ track: MatroskaTrack, _ time: Int64, at tick: Int64, lasting duration: Int64) {
        // Packets at the end of sound may hold the codec's delay alone.
        guard duration > 0 else { return }
        let time = MatroskaTime.nanoseconds(time, at: tick)
        clusterEnd = max(clusterEnd, time + duration)
        track.note(until: time + duration, lasting: duration)
    }

    /// Writes the pending cluster.
    /// - Parameter rest: packet of its last block, if that was not copied into the cluster.
    func flush(with rest: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)) throws(CaptureError) {
        guard !cluster.isEmpty else { return }
        let before = output.bytesWritten
        // Not by keepingWhole: a closure that captures `rest` costs an allocation per cluster.
        do throws(CaptureError) {
            try writeHead()
            cues.place(output.bytesWritten - Int64(head.segmentAt))
            try cluster.withBytes(before: rest.count) { (bytes) throws(CaptureError) in try output.write(bytes) }
            try output.write(rest)
        } catch {
            throw giveUp(error, before)
        }
        // Only now do these packets count as kept.
        end = clusterEnd
        for index in matroskaTracks.indices {
            matroskaTracks[index].keep(output.bytesWritten, stored: output.bytesStored)
        }
        marks.note(end, at: output.bytesWritten, stored: output.bytesStored)
        cues.keep()
        cluster.removeAll()
    }

    /// Writes the header ahead of the first cluster.
    func writeHead() throws(CaptureError) {
        guard output.bytesWritten == 0 else { return }
        try output.write(head.bytes)
        marks.note(0, at: output.bytesWritten, stored: output.bytesStored)
    }

    /// Cuts off what was half written, and remembers that the output takes no more.
    func keepingWhole(_ body: () throws(CaptureError) -> Void) throws(CaptureError) {
        let before = output.bytesWritten
        do {
            try body()
        } catch {
            throw giveUp(error, before)
        }
    }

    /// Cuts the file back to its last whole element.
    /// - Parameters:
    ///   - error: of the output; kept if it is the first.
    ///   - before: bytes that were whole.
    /// - Returns: the error.
    private func giveUp(_ error: CaptureError, _ before: Int64) -> CaptureError {
        failure = failure ?? error
        try? output.settle()
        let stored = output.bytesWritten
        guard stored < before else {
            try? output.rewind(to: before)
            return error
        }
        // What waited to be written is lost, too.
        let whole = marks.last(within: stored)
        end = whole?.value ?? 0
        for track in matroskaTracks { track.cutBack(to: stored) }
        cues.cutBack(to: (whole?.end ?? 0) - Int64(head.segmentAt))
        try? output.rewind(to: whole?.end ?? 0)
        return error
    }

    /// Leaves no file behind.
    func discard() { output.discard() }
}

extension MatroskaWriter {
    /// Duration that the clip is to have even if nothing more is stored: its last frame stands
    /// until then.
    func extend(to nanoseconds: Int64) { clipEnd = max(clipEnd, nanoseconds) }

    func add(_ chapter: ClipChapter) { chapters.append(chapter) }

    func finish(ledger: LossLedger, end reason: EndReason) throws(CaptureError) -> Clip {
        try finish(ledger: ledger, tagged: ledger, end: reason)
    }

    /// Writes index, chapters and tags, patches the header, and gives the file its name.
    /// - Parameters:
    ///   - ledger: of the clip.
    ///   - tagged: the ledger to store; `nil` for a recovery, whose tags hold one already.
    ///   - reason: why the recording ended.
    /// - Throws: as ``ClipWriter/finish(ledger:end:)``. A recovery throws an earlier output error
    ///   too: its source is still whole.
    func finish(ledger: LossLedger, tagged: LossLedger?, end reason: EndReason) throws(CaptureError) -> Clip {
        // An error is in `failure`, and decided on below.
        try? flushEncoders()
        var (ledger, tagged, reason) = (ledger, tagged, reason)
        if let failure {
            let kept = matroskaTracks.map(\.keptFrames)
            // Not even one frame fitted: there is no clip to keep.
            guard kept.contains(where: { $0.frames > 0 }) || failure.isOfGoneReader else {
                output.discard()
                throw failure
            }
            ledger = ledger.fitted(to: kept)
            tagged = tagged?.fitted(to: kept)
            reason = EndReason(ofOutput: failure)
        } else {
            // Only of a whole file: frames that are missing at the end are not to be waited for.
            end = max(end, clipEnd)
        }
        // A clip without a single frame still gets its header.
        try keepingWhole { () throws(CaptureError) in try writeHead() }
        let tail = writeTail(tagged, reason)
        if tagged == nil, let failure { throw failure }
        try patch(tail)
        try output.finish()
        return Clip(
            path: output.destination.description, format: format, duration: .nanoseconds(end),
            bytes: output.bytesWritten, tracks: tracks, ledger: ledger, end: reason)
    }

    /// Stores what the encoders hold. If that fails, the file is valid without it.
    private func flushEncoders() throws(CaptureError) {
        for track in matroskaTracks {
            packets.removeAll()
            try track.encoder.finish(into: &packets)
            if failure == nil { try store(for: track) }
        }
        if failure == nil { try flush() }
        if failure == nil { try keepingWhole { () throws(CaptureError) in try output.settleToFinish() } }
    }

    /// Upper bound of the bytes of index and tags, without the loss events that `--on-loss mark`
    /// adds to chapters and ledger.
    var tailBytes: Int {
        let said = labels.extra.reduce(labels.title?.utf8.count ?? 0) {
            $0 + $1.key.utf8.count + $1.value.utf8.count + 32
        }
        // A cue point takes at most 32 bytes; a track's ledger about 700 beside its names, which it has twice.
        let named = tracks.reduce(0) { $0 + 1536 + 4 * ($1.name.utf8.count + $1.device.utf8.count) }
        // A chapter has about 40 bytes beside its title.
        let set = chapters.reduce(0) { $0 + $1.title.utf8.count + 64 }
        return 32 * (cues.points.count + 1) + said + named + set + 512
    }

    /// Positions of the elements behind the last cluster; `nil` if the disk was full.
    private struct Tail {
        var cuesAt: Int64?
        var chaptersAt: Int64?
        var tagsAt: Int64?
    }

    /// Writes each element that still fits; a file without index or tags is valid.
    private func writeTail(_ ledger: LossLedger?, _ reason: EndReason) -> Tail {
        var tail = Tail()
        if !cues.points.isEmpty { tail.cuesAt = append(cues.element) }
        if let chapters = MatroskaChapters(tracks: tracks, ledger: ledger, chapters: chapters).element {
            tail.chaptersAt = append(chapters)
        }
        tail.tagsAt = append(MatroskaTags(tracks: matroskaTracks, labels: labels, ledger: ledger, end: reason).element)
        return tail
    }

    /// - Returns: position in the Segment; `nil` if there was no room.
    private func append(_ element: [UInt8]) -> Int64? {
        let position = output.bytesWritten - Int64(head.segmentAt)
        do {
            try keepingWhole { () throws(CaptureError) in try output.write(element) }
            return position
        } catch {
            return nil
        }
    }

    /// Fills in what the header reserved room for; a pipe stays with unknown length and no index.
    private func patch(_ tail: Tail) throws(CaptureError) {
        // A pipe.
        guard output.isSeekable else { return }
        let size = output.bytesWritten - Int64(head.segmentAt)
        try output.patch(EBML.length(UInt64(size), width: 8), at: Int64(head.segmentLengthAt))
        try output.patch(seekHead(tail), at: Int64(head.segmentAt))
        if end > 0 {
            var duration = EBML()
            duration.float(.duration, Double(end) / Double(MatroskaTime.scale))
            try output.patch(duration.bytes, at: Int64(head.durationAt))
        }
        for (track, offset) in zip(matroskaTracks, head.privateAt) {
            let bytes = track.encoder.description.privateBytes
            if !bytes.isEmpty, failure == nil { try output.patch(bytes, at: Int64(offset)) }
        }
    }

    /// SeekHead (RFC 9559, 5.1.1), padded to the size of its room.
    private func seekHead(_ tail: Tail) -> [UInt8] {
        var seekHead = EBML()
        seekHead.master(.seekHead) { seekHead in
            entry(.info, Int64(head.infoAt - head.segmentAt), &seekHead)
            entry(.tracks, Int64(head.tracksAt - head.segmentAt), &seekHead)
            if let position = tail.cuesAt { entry(.cues, position, &seekHead) }
            if let position = tail.chaptersAt { entry(.chapters, position, &seekHead) }
            if let position = tail.tagsAt { entry(.tags, position, &seekHead) }
        }
        seekHead.void(size: MatroskaHeader.seekHeadSize - seekHead.bytes.count)
        return seekHead.bytes
    }

    /// Seek entry; the position has a fixed width, so that all entries are of one size.
    private func entry(_ id: MatroskaID, _ position: Int64, _ seekHead: inout EBML) {
        seekHead.master(.seek) { seek in
            seek.element(.seekID, id.bytes)
            seek.element(.seekPosition, EBML.bigEndian(UInt64(position), width: 8))
        }
    }
}
