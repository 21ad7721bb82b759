import CaptureGate

/// Matroska: the blocks that can be read are written into a new file with duration, index and tags.
///
/// The lengths of segment and clusters are not needed: a block counts if what follows it is an element too. Where one
/// is damaged, reading goes on at the next cluster, a second later at most.
///
/// *session-bound*
final class MatroskaRecovery: Recoverer {
    let source: RecoverySource
    var findings = RecoveryFindings()
    let writer: MatroskaWriter
    var head: RecoveredMatroskaHeader
    var times: MatroskaBlockTimestamps

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
        let labels = ClipLabels(title: head.title, extra: Self.extra(head.tags))
        writer = MatroskaWriter(output: output, recovering: head.tracks, labels: labels, startedAt: head.startedAt)
        times = MatroskaBlockTimestamps(tracks: head.tracks.count)
        findings.tracks = head.tracks.map {
            RecoveredTrack(kind: $0.track.kind, name: $0.track.name, frames: 0, durationNanoseconds: 0)
        }
    }

    private static func extra(_ tags: [String: String]) -> [String: String] {
        tags.filter { $0.key != "END_REASON" }.merging(["RECOVERED": "yes"]) { $1 }
    }

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
                guard let end = element.end, end <= source.size else {
                    // Index and tags are made anew; they are no loss.
                    at = try nextCluster(from: at) == nil ? source.size : resynchronize(from: at)
                    continue
                }
                if element.isOf(.tags) { try readTags(element, end) }
                at = end
            default: at = try resynchronize(from: at)
            }
        }
    }

    /// A file that was finished but for its name has tags behind the clusters too.
    private func readTags(_ element: MatroskaElement, _ end: Int64) throws(CaptureError) {
        let content = try source.read(at: element.contentAt, Int(min(end - element.contentAt, 4 << 20)))
        head.readTags(content[...])
        writer.labels.extra = Self.extra(head.tags)
    }

    /// - Returns: where the next cluster begins, or the file's end.
    private func resynchronize(from start: Int64) throws(CaptureError) -> Int64 {
        let next = try nextCluster(from: start + 1)
        findings.note(lost: start, (next ?? source.size) - start, next == nil ? .tornEnd : .damaged)
        return next ?? source.size
    }

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

    /// - Returns: where reading goes on.
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

    private func isElement(at offset: Int64) throws(CaptureError) -> Bool {
        if offset == source.size { return true }
        // Of one that is cut off not even the id may be there.
        guard let element = try source.element(at: offset) else { return source.size - offset < MatroskaElement.most }
        return RecoveredMatroskaHeader.isInCluster(element.id) || RecoveredMatroskaHeader.isInSegment(element.id)
    }

    private func finish() throws(CaptureError) -> Int64 {
        let end = EndReason(rawValue: head.tags["END_REASON"] ?? "") ?? .failure
        let clip = try writer.finish(ledger: LossLedger(), tagged: nil, end: end)
        return clip.bytes
    }
}

extension RecoverySource {
    func element(at offset: Int64) throws(CaptureError) -> MatroskaElement? {
        MatroskaElement(try read(at: offset, MatroskaElement.most)[...], at: offset)
    }
}

extension MatroskaRecovery {
    /// No camera makes larger pictures, bytes.
    private static let mostBytes: Int64 = 256 << 20

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

    private func readTime(_ content: ArraySlice<UInt8>) {
        let (time, overflows) = Int64(clamping: content.unsigned).multipliedReportingOverflow(by: head.scale)
        times.beginCluster(at: overflows ? nil : time)
    }

    private func takeGroup(_ content: ArraySlice<UInt8>) throws(CaptureError) -> Bool {
        var block: ArraySlice<UInt8> = []
        var discard: Int64 = 0
        for (id, content) in MatroskaChildren(content) {
            if id == MatroskaID.block.rawValue { block = content }
            if id == MatroskaID.discardPadding.rawValue { discard = Int64(bitPattern: content.unsigned) }
        }
        return try take(block, discard: min(max(discard, 0), 1_000_000_000))
    }

    /// - Returns: false for a block that is damaged.
    private func take(_ block: ArraySlice<UInt8>, discard: Int64) throws(CaptureError) -> Bool {
        let bytes = block.prefix(4)
        guard let first = bytes.first, bytes.count == 4, first & 0x80 != 0, bytes[block.startIndex + 3] & 0x06 == 0,
            let index = head.tracks.firstIndex(where: { $0.number == Int(first & 0x7F) })
        else { return false }
        let offset = Int16(bitPattern: UInt16(bytes[block.startIndex + 1]) << 8 | UInt16(bytes[block.startIndex + 2]))
        // No cluster of ours lasts longer.
        guard Int64(offset) * head.scale < 1_000_000_000 || head.scale != MatroskaTime.scale else { return false }
        let track = head.tracks[index]
        let packet = block.dropFirst(4)
        guard let codec = track.encoder as? RecoveredCodec, let frames = codec.frames(in: packet, of: track.track)
        else {
            return false
        }
        let duration = max(track.track.nanoseconds(ofFrames: frames) - discard, 0)
        guard let asked = times.time(Int64(offset) * head.scale, of: index, lasting: duration) else { return false }
        let time = try writer.store(packet, of: track, at: asked, lasting: duration, discard: discard)
        times.note(index, at: track.lastTick, lasting: duration)
        findings.tracks[index].frames += frames
        let end = time + duration - codec.description.delay
        findings.tracks[index].durationNanoseconds = max(findings.tracks[index].durationNanoseconds, end)
        return true
    }
}

extension MatroskaWriter {
    /// Stores a packet that exists already.
    /// - Returns: its time in the file, nanoseconds: later where the one before it has the same.
    func store(
        _ packet: ArraySlice<UInt8>, of track: MatroskaTrack, at time: Int64, lasting duration: Int64, discard: Int64
    ) throws(CaptureError) -> Int64 {
        packets.removeAll()
        try packet.withContiguousBytes { (bytes) throws(CaptureError) in
            try packets.append(capacity: bytes.count, at: time, lasting: duration) { room in
                room.copyMemory(from: bytes)
                return bytes.count
            }
        }
        guard packets.count > 0 else { return time }
        packets.setDiscard(of: 0, discard)
        try store(for: track)
        return MatroskaTime.nanoseconds(time, at: track.lastTick)
    }
}

extension ArraySlice<UInt8> {
    /// As `withUnsafeBytes`, with the error's type.
    fileprivate func withContiguousBytes(
        _ body: (UnsafeRawBufferPointer) throws(CaptureError) -> Void
    ) throws(CaptureError) {
        try span.bytes.withUnsafeBytes { (bytes) throws(CaptureError) in try body(bytes) }
    }
}
