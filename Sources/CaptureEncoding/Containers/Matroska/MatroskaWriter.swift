import CaptureBase
import LinuxSystem

/// Matroska file (RFC 9559) that can be read up to its last whole cluster at any moment.
///
/// The Segment's length is unknown while it grows. Each cluster, of at most a second (the first of at most 250 ms), is written in
/// one piece. Duration, index and tags come at the end, and are omitted if the output can't be rewritten.
///
/// *session-bound*
final class MatroskaWriter: TrackWriter {
    let matroskaTracks: [MatroskaTrack]
    /// Header, with the offsets to patch at the end.
    private(set) var head: MatroskaHeader
    /// Nanoseconds since 1970 in UTC.
    private let startedAt: Int64
    /// Pending cluster, whose memory is reused.
    var cluster = MatroskaCluster()
    /// Index, written after the last cluster.
    var cues = MatroskaCues()
    /// End of the packets in the file and in the pending cluster, in nanoseconds.
    private var clusterEnd: Int64 = 0

    /// Begins a clip's encoders; the header is written with the first cluster.
    /// - Parameter format: Matroska, or WebM, which is Matroska with fewer codecs.
    /// - Throws: `.usage` for more than 100 tracks, or a format that a codec can't hold.
    convenience init(
        output: consuming ClipOutput, format: ClipFormat = .matroska, tracks: [ClipTrack], labels: ClipLabels,
        settings: EncoderSettings
    ) throws(CaptureError) {
        let begun: [MatroskaTrack] = try EncodedTrack.begin(tracks, settings) {
            (number, track, encoder) throws(CaptureError) in
            if format == .webm { try Self.checkWebM(encoder.description.matroskaID) }
            return MatroskaTrack(number: number, track: track, encoder: encoder)
        }
        self.init(
            output: output, format: format, tracks: begun, labels: labels, startedAt: SystemClock.realtime.now)
    }

    /// Makes a writer of tracks whose encoders are begun.
    init(
        output: consuming ClipOutput, format: ClipFormat, tracks: [MatroskaTrack], labels: ClipLabels, startedAt: Int64
    ) {
        matroskaTracks = tracks
        self.startedAt = startedAt
        head = MatroskaHeader(format, tracks: tracks, labels: labels, startedAt: startedAt)
        // Players seek by video if there is any.
        cues.track = (tracks.first { $0.track.kind == .video } ?? tracks.first)?.number ?? 1
        super.init(output: output, format: format, tracks: tracks, labels: labels)
    }

    /// - Throws: `.usage` for a codec that browsers do not play.
    private static func checkWebM(_ codec: String) throws(CaptureError) {
        guard !["V_VP8", "V_VP9", "V_AV1", "A_OPUS"].contains(codec) else { return }
        throw CaptureError(
            .usage, "WebM can't contain \(codec.dropFirst(2)).",
            remedies: [Remedy("Choose VP8, VP9 or AV1 and Opus, or record to a name that ends in .mkv.")])
    }

    /// Header, pending cluster, encoder contents, index and tags.
    override var pendingBytes: Int64 {
        let head = output.bytesWritten == 0 ? self.head.bytes.count : 0
        return Int64(head + cluster.byteCount + matroskaTracks.reduce(0) { $0 + $1.maxBufferedBytes } + tailBytes)
    }

    /// Puts a packet into the cluster. A packet that fills one by itself is written from its place in memory.
    override func store(
        _ packet: UnsafeRawBufferPointer, of index: Int, at time: Int64, lasting duration: Int64, isKey: Bool,
        discard: Int64
    ) throws(CaptureError) {
        let track = matroskaTracks[index]
        // With DiscardPadding more of its BlockGroup follows a packet, so it must be copied.
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
        // Packets at the end of audio may contain only the codec's delay.
        guard duration > 0 else { return }
        let time = MatroskaTime.nanoseconds(time, at: tick)
        clusterEnd = max(clusterEnd, time + duration)
        track.note(until: time + duration, lasting: duration)
    }

    override func flush() throws(CaptureError) { try flush(with: UnsafeRawBufferPointer(start: nil, count: 0)) }

    /// Writes the pending cluster.
    /// - Parameter rest: packet of its last block, if that was not copied into the cluster.
    private func flush(with rest: UnsafeRawBufferPointer) throws(CaptureError) {
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
        keep(until: clusterEnd)
        cues.keep()
        cluster.removeAll()
    }

    override func describe() {
        head = MatroskaHeader(format, tracks: matroskaTracks, labels: labels, startedAt: startedAt)
    }

    /// Writes the header ahead of the first cluster.
    override func writeHead() throws(CaptureError) {
        guard output.bytesWritten == 0 else { return }
        try output.write(head.bytes)
        mark()
    }

    override func cutBack(to bytes: Int64) { cues.cutBack(to: bytes - Int64(head.segmentAt)) }

    /// Writes index, chapters and tags, and patches the header.
    override func complete(_ ledger: LossLedger?, _ reason: EndReason) throws(CaptureError) {
        let tail = writeTail(ledger, reason)
        if ledger == nil, let failure { throw failure }
        try patch(tail)
    }
}

extension MatroskaWriter {
    /// Upper bound of the bytes of index and tags, without the loss events that `--on-loss mark`
    /// adds to chapters and ledger. A cue point takes at most 32 bytes.
    private var tailBytes: Int { 32 * (cues.points.count + 1) + ClipTags.byteCount(tracks, labels, chapters) }

    /// Positions of the elements after the last cluster; `nil` if the disk was full.
    private struct Tail {
        var cuesAt: Int64?
        var chaptersAt: Int64?
        var tagsAt: Int64?
    }

    /// Writes each element that still fits; a file without index or tags is valid.
    private func writeTail(_ ledger: LossLedger?, _ reason: EndReason) -> Tail {
        var tail = Tail()
        if !cues.points.isEmpty { tail.cuesAt = append(cues.element) }
        let tags = MatroskaTags(
            tracks: matroskaTracks, labels: labels, ledger: ledger, end: reason, set: chapters)
        if let chapters = tags.chapters { tail.chaptersAt = append(chapters) }
        tail.tagsAt = append(tags.element)
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
