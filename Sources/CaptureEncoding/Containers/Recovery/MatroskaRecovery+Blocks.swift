import CaptureGate

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
