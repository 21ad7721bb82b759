import CaptureGate

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
