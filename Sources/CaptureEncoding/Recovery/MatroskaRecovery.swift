import CaptureBase

/// Recovery of Matroska: every readable block is written into a new file with duration, index and
/// tags.
///
/// The lengths of Segment and clusters are not needed: a block counts if an element follows it. After damage, reading continues at
/// the next cluster, at most a second later.
///
/// *session-bound*
final class MatroskaRecovery: Recoverer {
    let source: RecoverySource
    var findings = RecoveryFindings()
    let writer: MatroskaWriter
    var head: RecoveredMatroskaHeader
    var times: MatroskaBlockTimestamps
    /// By track: frames that depend on lost ones are omitted, up to the next key frame.
    var isWaiting: [Bool]

    static func recover(
        _ source: RecoverySource, into output: consuming ClipOutput, noting findings: inout RecoveryFindings
    ) throws(CaptureError) -> Int64 {
        let recovery = try MatroskaRecovery(source, output)
        try recovery.copyClusters()
        let bytes = try recovery.finish()
        findings = recovery.findings
        return bytes
    }

    private init(_ source: RecoverySource, _ output: consuming ClipOutput) throws(CaptureError) {
        self.source = source
        head = try RecoveredMatroskaHeader(source)
        let labels = ClipTags.recovered(head.tags, title: head.title)
        writer = MatroskaWriter(
            output: output, format: head.format, tracks: head.tracks, labels: labels, startedAt: head.startedAt)
        isWaiting = Array(repeating: true, count: head.tracks.count)
        times = MatroskaBlockTimestamps(tracks: head.tracks.count)
        findings.tracks = head.tracks.map {
            RecoveredTrack(kind: $0.track.kind, name: $0.track.name, frames: 0, duration: .zero)
        }
    }

    /// Walks over the Segment's children.
    private func copyClusters() throws(CaptureError) {
        var at = head.end
        while at < source.size {
            guard let element = try source.element(at: at) else {
                at = try resynchronize(from: at)
                continue
            }
            switch MatroskaID(rawValue: element.id) {
            case .cluster?: at = try copyCluster(from: element.contentAt)
            case .cues?, .tags?, .void?, .seekHead?, .info?, .tracks?:
                // Index and tags are created again, so a torn one is not a loss.
                guard let end = element.end, end <= source.size else {
                    // Index and tags are created again; they are not a loss.
                    at = try nextCluster(from: at) == nil ? source.size : resynchronize(from: at)
                    continue
                }
                if element.isOf(.tags) { try readTags(element, end) }
                at = end
            default: at = try resynchronize(from: at)
            }
        }
    }

    /// Reads tags after the clusters, of a file that was finished except for its name.
    private func readTags(_ element: MatroskaElement, _ end: Int64) throws(CaptureError) {
        let content = try source.read(at: element.contentAt, Int(min(end - element.contentAt, 4 << 20)))
        head.readTags(content[...])
        writer.labels = ClipTags.recovered(head.tags, title: head.title)
    }

    /// Notes the bytes up to the next cluster as lost.
    /// - Returns: offset of the next cluster, or the file's end.
    private func resynchronize(from start: Int64) throws(CaptureError) -> Int64 {
        let next = try nextCluster(from: start + 1)
        findings.note(lost: start, (next ?? source.size) - start, next == nil ? .tornEnd : .damaged)
        for index in isWaiting.indices { isWaiting[index] = true }
        return next ?? source.size
    }

    /// Finds a cluster id that a Timestamp element follows; the id alone may occur in a packet.
    private func nextCluster(from start: Int64) throws(CaptureError) -> Int64? {
        var at = start
        while let found = try source.find(MatroskaID.cluster.bytes, from: at, before: source.size) {
            if let cluster = try source.element(at: found),
                try source.element(at: cluster.contentAt)?.isOf(.timestamp) == true
            {
                return found
            }
            at = found + 1
        }
        return nil
    }

    /// Copies the blocks of a cluster.
    /// - Returns: the offset to continue at.
    private func copyCluster(from start: Int64) throws(CaptureError) -> Int64 {
        var at = start
        while at < source.size {
            guard let element = try source.element(at: at) else { return try resynchronize(from: at) }
            guard RecoveredMatroskaHeader.isInCluster(element.id) else { return at }
            guard let end = element.end, end <= source.size, try isElement(at: end) else {
                return try resynchronize(from: at)
            }
            try take(element, end)
            at = end
        }
        return at
    }

    /// Tells that an element, or the file's end, is at an offset.
    private func isElement(at offset: Int64) throws(CaptureError) -> Bool {
        if offset == source.size { return true }
        // Of an element that is cut off, not even the id may be there.
        guard let element = try source.element(at: offset) else { return source.size - offset < MatroskaElement.most }
        return RecoveredMatroskaHeader.isInCluster(element.id) || RecoveredMatroskaHeader.isInSegment(element.id)
    }

    /// Finishes the new file; a recording that was killed ended with a failure.
    private func finish() throws(CaptureError) -> Int64 {
        let end = EndReason(rawValue: head.tags[ClipTags.endReason] ?? "") ?? .failure
        let clip = try writer.finish(ledger: LossLedger(), tagged: nil, end: end)
        return clip.bytes
    }
}

/// Access by elements.
extension RecoverySource {
    /// Element header at an offset; `nil` if none exists.
    func element(at offset: Int64) throws(CaptureError) -> MatroskaElement? {
        MatroskaElement(try read(at: offset, MatroskaElement.most)[...], at: offset)
    }
}

extension MatroskaRecovery {
    /// Bytes beyond which no camera's frame goes.
    private static let mostBytes: Int64 = 256 << 20

    /// Copies a child of a cluster.
    func take(_ element: MatroskaElement, _ end: Int64) throws(CaptureError) {
        let count = end - element.contentAt
        switch MatroskaID(rawValue: element.id) {
        case .timestamp: readTime(try source.read(at: element.contentAt, Int(min(count, 9)))[...])
        case .simpleBlock, .blockGroup:
            let isGroup = element.isOf(.blockGroup)
            guard count <= Self.mostBytes else { return findings.note(lost: element.start, count, .damaged) }
            let content = try source.read(at: element.contentAt, Int(count))
            guard try isGroup ? takeGroup(content[...]) : take(content[...], discard: 0) else {
                return findings.note(lost: element.start, end - element.start, .damaged)
            }
        default: break
        }
    }

    /// Reads the cluster's timestamp.
    private func readTime(_ content: ArraySlice<UInt8>) {
        let (time, overflows) = Int64(clamping: content.unsigned).multipliedReportingOverflow(by: head.scale)
        times.beginCluster(at: overflows ? nil : time)
    }

    /// Reads a BlockGroup: a block, and the end of it that is not to be played.
    private func takeGroup(_ content: ArraySlice<UInt8>) throws(CaptureError) -> Bool {
        var block: ArraySlice<UInt8> = []
        var discard: Int64 = 0
        for (id, content) in MatroskaChildren(content) {
            if id == MatroskaID.block.rawValue { block = content }
            if id == MatroskaID.discardPadding.rawValue { discard = Int64(bitPattern: content.unsigned) }
        }
        return try take(block, discard: min(max(discard, 0), 1_000_000_000))
    }

    /// Checks a block and stores its packet.
    ///
    /// Lacing, an unknown track, a packet that is not of its codec, or an impossible timestamp is
    /// damage.
    /// - Returns: false for a damaged block.
    private func take(_ block: ArraySlice<UInt8>, discard: Int64) throws(CaptureError) -> Bool {
        let bytes = block.prefix(4)
        guard let first = bytes.first, bytes.count == 4, first & 0x80 != 0, bytes[block.startIndex + 3] & 0x06 == 0,
            let index = head.tracks.firstIndex(where: { $0.number == Int(first & 0x7F) })
        else { return false }
        let offset = Int16(bitPattern: UInt16(bytes[block.startIndex + 1]) << 8 | UInt16(bytes[block.startIndex + 2]))
        // No cluster of ours lasts longer than a second.
        guard Int64(offset) * head.scale < 1_000_000_000 || head.scale != MatroskaTime.scale else { return false }
        let track = head.tracks[index]
        let packet = block.dropFirst(4)
        guard let codec = track.encoder as? RecoveredCodec, let frames = codec.frames(in: packet, of: track.track)
        else {
            return false
        }
        // A block in one of our groups is intact, and each of its packets is a key frame.
        let isKey = !track.isPredicted || bytes[block.startIndex + 3] & 0x80 != 0
        guard isKey || !isWaiting[index] else { return false }
        isWaiting[index] = false
        let duration = max(track.track.nanoseconds(ofFrames: frames) - discard, 0)
        guard let asked = times.time(Int64(offset) * head.scale, of: index, lasting: duration) else { return false }
        let time = try writer.store(
            packet, of: index, at: asked, lasting: duration, isKey: isKey, discard: discard)
        times.note(index, at: track.lastTick, lasting: duration)
        findings.tracks[index].frames += frames
        let end = time + duration - codec.description.delay
        findings.tracks[index].duration = max(findings.tracks[index].duration, .nanoseconds(end))
        return true
    }
}

extension MatroskaWriter {
    /// Stores a packet that exists already.
    /// - Parameters:
    ///   - packet: its data.
    ///   - index: of its track.
    ///   - time: timestamp in nanoseconds.
    ///   - duration: nanoseconds.
    ///   - isKey: decoding can start here.
    ///   - discard: nanoseconds at its end that are not to be played.
    /// - Returns: its timestamp in the file, in nanoseconds; later if the packet ahead of it has
    ///   the same tick.
    func store(
        _ packet: ArraySlice<UInt8>, of index: Int, at time: Int64, lasting duration: Int64, isKey: Bool,
        discard: Int64
    ) throws(CaptureError) -> Int64 {
        packets.removeAll()
        try packet.withContiguousBytes { (bytes) throws(CaptureError) in
            try packets.append(capacity: bytes.count, at: time, lasting: duration) { room in
                room.copyMemory(from: bytes)
                return bytes.count
            }
        }
        guard packets.count > 0 else { return time }
        packets.setKey(of: 0, isKey)
        packets.setDiscard(of: 0, discard)
        try store(of: index)
        return MatroskaTime.nanoseconds(time, at: matroskaTracks[index].lastTick)
    }
}

extension ArraySlice<UInt8> {
    /// `withUnsafeBytes` with a typed error.
    func withContiguousBytes(
        _ body: (UnsafeRawBufferPointer) throws(CaptureError) -> Void
    ) throws(CaptureError) {
        try span.bytes.withUnsafeBytes { (bytes) throws(CaptureError) in try body(bytes) }
    }
}
