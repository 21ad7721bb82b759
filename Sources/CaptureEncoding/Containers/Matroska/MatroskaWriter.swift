import CSystem
import CaptureGate

/// A Matroska file (RFC 9559) that can be read up to its last whole cluster at any moment.
///
/// The segment's length is unknown while it grows; each cluster, of a second at most and the first of 250 ms, is
/// written in one piece; duration, index and tags come at the end, and are left out where the output can't be changed.
///
/// *session-bound*
final class MatroskaWriter: FailableWriter {
    let format = ClipFormat.matroska
    let tracks: [ClipTrack]

    var output: ClipOutput
    var labels: ClipLabels
    let matroskaTracks: [MatroskaTrack]
    let head: MatroskaHeader
    var cluster = MatroskaCluster()
    var packets = PacketBuffer()
    var cues = MatroskaCues()
    /// Of the packets that are in the file, and of those in the cluster too, nanoseconds.
    var end: Int64 = 0
    private var clusterEnd: Int64 = 0
    /// Where the clip was said to end, nanoseconds.
    var clipEnd: Int64 = 0
    var failure: CaptureError?

    init(
        output: consuming ClipOutput, tracks: [ClipTrack], labels: ClipLabels, settings: EncoderSettings
    ) throws(CaptureError) {
        self.output = output
        self.tracks = tracks
        self.labels = labels
        matroskaTracks = try Self.begin(tracks, settings)
        head = MatroskaHeader(
            tracks: matroskaTracks, labels: labels, startedAt: cs_clock_ns(Int32(CS_CLOCK_REALTIME)))
        cues.track = (matroskaTracks.first { $0.track.kind == .video } ?? matroskaTracks[0]).number
    }

    /// For packets that exist already.
    init(
        output: consuming ClipOutput, recovering tracks: [MatroskaTrack], labels: ClipLabels, startedAt: Int64
    ) {
        self.output = output
        self.tracks = tracks.map(\.track)
        self.labels = labels
        matroskaTracks = tracks
        head = MatroskaHeader(tracks: tracks, labels: labels, startedAt: startedAt)
        cues.track = (tracks.first { $0.track.kind == .video } ?? tracks.first)?.number ?? 1
    }

    private static func begin(
        _ tracks: [ClipTrack], _ settings: EncoderSettings
    ) throws(CaptureError) -> [MatroskaTrack] {
        guard tracks.count <= 100 else { throw CaptureError(.usage, "A clip holds at most 100 tracks.") }
        var begun: [MatroskaTrack] = []
        for (index, track) in tracks.enumerated() {
            let encoder = settings.encoder(for: track)
            try encoder.begin()
            begun.append(MatroskaTrack(number: index + 1, track: track, encoder: encoder))
        }
        return begun
    }

    var bytesWritten: Int64 { output.bytesWritten }

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

    /// Stores a picture from the buffer it lies in.
    /// - Returns: false for what has to be encoded.
    private func pass(_ data: RawSpan, of track: MatroskaTrack, at time: Int64) throws(CaptureError) -> Bool {
        guard let encoder = track.passing, let place = encoder.pass(data) else { return false }
        let duration = encoder.format.frameRate.frameNanoseconds
        try data.extracting(place).withUnsafeBytes { (picture) throws(CaptureError) in
            try store(picture, for: track, at: time, lasting: duration, isKey: true)
        }
        return true
    }

    func store(for track: MatroskaTrack) throws(CaptureError) {
        for index in 0..<packets.count {
            try packets.withBytes(of: index) { (packet) throws(CaptureError) in
                try store(
                    packet, for: track, at: packets.time(of: index), lasting: packets.duration(of: index),
                    isKey: packets.isKey(index), discard: packets.discard(of: index))
            }
        }
    }

    /// Puts a packet into the cluster; what fills one by itself goes into the file from where it lies.
    private func store(
        _ packet: UnsafeRawBufferPointer, for track: MatroskaTrack, at time: Int64, lasting duration: Int64,
        isKey: Bool, discard: Int64 = 0
    ) throws(CaptureError) {
        let isLarge = packet.count > MatroskaCluster.usualLimit && discard == 0
        let tick = track.nextTick(time)
        if isLarge || cluster.mustEnd(before: tick, bytes: packet.count, limit: limit) { try flush() }
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

    private var limit: Int64 { output.bytesWritten == 0 ? MatroskaTime.firstCluster : MatroskaTime.longestCluster }

    private func note(_ track: MatroskaTrack, _ time: Int64, at tick: Int64, lasting duration: Int64) {
        let time = MatroskaTime.nanoseconds(time, at: tick)
        clusterEnd = max(clusterEnd, time + duration)
        track.note(until: time + duration, lasting: duration)
    }

    /// Writes the cluster.
    /// - Parameter rest: what is in it behind that which was put into its memory.
    func flush(with rest: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)) throws(CaptureError) {
        guard !cluster.isEmpty else { return }
        let before = output.bytesWritten
        // Not by keepingWhole: a closure that takes `rest` along costs an allocation a cluster.
        do throws(CaptureError) {
            try writeHead()
            cues.place(output.bytesWritten - Int64(head.segmentAt))
            try cluster.withBytes(before: rest.count) { (bytes) throws(CaptureError) in try output.write(bytes) }
            try output.write(rest)
        } catch {
            throw giveUp(error, before)
        }
        end = clusterEnd
        for index in matroskaTracks.indices { matroskaTracks[index].keep() }
        cues.keep()
        cluster.removeAll()
    }

    func writeHead() throws(CaptureError) {
        if output.bytesWritten == 0 { try output.write(head.bytes) }
    }

    /// Cuts off what was half written, and remembers that the output is no longer usable.
    func keepingWhole(_ body: () throws(CaptureError) -> Void) throws(CaptureError) {
        let before = output.bytesWritten
        do {
            try body()
        } catch {
            throw giveUp(error, before)
        }
    }

    /// - Parameter before: bytes that were whole.
    private func giveUp(_ error: CaptureError, _ before: Int64) -> CaptureError {
        failure = failure ?? error
        try? output.rewind(to: before)
        return error
    }

    func discard() { output.discard() }
}

extension MatroskaWriter {
    func extend(to nanoseconds: Int64) { clipEnd = max(clipEnd, nanoseconds) }

    func finish(ledger: LossLedger, end reason: EndReason) throws(CaptureError) -> Clip {
        try finish(ledger: ledger, tagged: ledger, end: reason)
    }

    /// - Parameter tagged: `nil` for a recovery, whose tags have one already.
    /// - Throws: of a recovery also what kept a part of it from being written: what it is made of is whole.
    func finish(ledger: LossLedger, tagged: LossLedger?, end reason: EndReason) throws(CaptureError) -> Clip {
        try? flushEncoders()
        var (ledger, tagged, reason) = (ledger, tagged, reason)
        if let failure {
            let kept = matroskaTracks.map(\.keptFrames)
            guard kept.contains(where: { $0.frames > 0 }) else {
                output.discard()
                throw failure
            }
            ledger = ledger.fitted(to: kept)
            tagged = tagged?.fitted(to: kept)
            reason = EndReason(ofOutput: failure)
        } else {
            // What is not in the file any more is not to be waited for.
            end = max(end, clipEnd)
        }
        try keepingWhole { () throws(CaptureError) in try writeHead() }
        let tail = writeTail(tagged, reason)
        if tagged == nil, let failure { throw failure }
        try patch(tail)
        try output.finish()
        return Clip(
            path: output.destination.description, format: format, durationNanoseconds: end,
            bytes: output.bytesWritten, tracks: tracks, ledger: ledger, end: reason)
    }

    /// What fails here leaves the file as it was before; it is whole without.
    private func flushEncoders() throws(CaptureError) {
        for track in matroskaTracks {
            packets.removeAll()
            try track.encoder.finish(into: &packets)
            if failure == nil { try store(for: track) }
        }
        if failure == nil { try flush() }
    }

    /// The most that index and tags take, bytes.
    var tailBytes: Int {
        let said = labels.extra.reduce(labels.title?.utf8.count ?? 0) {
            $0 + $1.key.utf8.count + $1.value.utf8.count + 32
        }
        // A point of the index has at most 32 bytes, a track's ledger about 700 beside its names, which it has twice.
        let named = tracks.reduce(0) { $0 + 1536 + 4 * ($1.name.utf8.count + $1.device.utf8.count) }
        return 32 * (cues.points.count + 1) + said + named + 512
    }

    /// Where index and tags begin in the segment; absent where the disk was full.
    private struct Tail {
        var cuesAt: Int64?
        var chaptersAt: Int64?
        var tagsAt: Int64?
    }

    private func writeTail(_ ledger: LossLedger?, _ reason: EndReason) -> Tail {
        var tail = Tail()
        if !cues.points.isEmpty { tail.cuesAt = append(cues.element) }
        if let chapters = MatroskaChapters(tracks: tracks, ledger: ledger).element {
            tail.chaptersAt = append(chapters)
        }
        tail.tagsAt = append(MatroskaTags(tracks: matroskaTracks, labels: labels, ledger: ledger, end: reason).element)
        return tail
    }

    private func append(_ element: [UInt8]) -> Int64? {
        let position = output.bytesWritten - Int64(head.segmentAt)
        do {
            try keepingWhole { () throws(CaptureError) in try output.write(element) }
            return position
        } catch {
            return nil
        }
    }

    private func patch(_ tail: Tail) throws(CaptureError) {
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

    /// SeekHead (RFC 9559, 5.1.1), filled up to the size of its place.
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

    private func entry(_ id: MatroskaID, _ position: Int64, _ seekHead: inout EBML) {
        seekHead.master(.seek) { seek in
            seek.element(.seekID, id.bytes)
            seek.element(.seekPosition, EBML.bigEndian(UInt64(position), width: 8))
        }
    }
}
