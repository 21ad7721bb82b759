import CaptureGate

extension SegmentedWriter {
    func extend(to nanoseconds: Int64) {
        guard let part = parts.last else { return }
        part.writer.extend(to: nanoseconds - part.start)
    }

    func finish(ledger: LossLedger, end: EndReason) throws(CaptureError) -> Clip {
        while !parts.isEmpty {
            do throws(CaptureError) {
                try parts.count > 1 ? finishFirst(.complete, ledger) : finishLast(end, ledger)
            } catch {
                // The disk had no room for its first frame; what is in the files before is a clip.
                failure = failure ?? error
            }
        }
        finishing.wait()
        if let failure = finishing.failure { throw failure }
        if let failure, finished.parts.isEmpty { throw failure }
        let end = failure.map { EndReason(ofOutput: $0) } ?? end
        return Clip(
            path: path, format: format, durationNanoseconds: finished.end, bytes: finished.bytes, tracks: tracks,
            ledger: end == .diskFull || end == .failure ? ledger.fitted(to: finished.kept) : ledger, end: end,
            parts: finished.parts)
    }

    /// One without a frame, where there are others, would be a file of nothing.
    private func finishLast(_ reason: EndReason, _ ledger: LossLedger) throws(CaptureError) {
        guard finished.parts.isEmpty || parts[0].frames.contains(where: { $0 > 0 }) else {
            return parts.removeFirst().writer.discard()
        }
        try finishFirst(reason, ledger)
    }

    func discard() {
        for part in parts { part.writer.discard() }
    }

    func finishParts(_ ledger: () -> LossLedger) throws(CaptureError) {
        while isPartOver { try finishFirst(.complete, ledger()) }
    }

    /// Finishes the oldest open part.
    /// - Parameter now: of the whole clip.
    func finishFirst(_ reason: EndReason, _ now: LossLedger) throws(CaptureError) {
        let part = parts.removeFirst()
        if !parts.isEmpty, let end = part.end { part.writer.extend(to: end - part.start) }
        let clip = try part.writer.finish(ledger: ledger(of: part, now), end: reason)
        // A file that had no room for its last frames is whole without, and there is a hole before the next.
        if clip.end != reason { failure = failure ?? (part.writer as? any FailableWriter)?.failure }
        finished.add(clip, of: part)
        if let last = finished.parts.last { finishing.tell(last) }
    }

    /// What became of the frames since the part before.
    private func ledger(of part: OpenPart, _ now: LossLedger) -> LossLedger {
        defer { ledgerBefore = now }
        let before = ledgerBefore.tracks
        return LossLedger(
            tracks: now.tracks.enumerated().map { index, track in
                track.since(before.indices.contains(index) ? before[index] : nil, in: part, of: tracks[index], index)
            })
    }
}

extension TrackLedger {
    /// - Parameter before: when the part before was finished.
    fileprivate func since(
        _ before: TrackLedger?, in part: OpenPart, of track: ClipTrack, _ index: Int
    ) -> TrackLedger {
        var ledger = self
        let frames = part.frames[index]
        if let before {
            ledger.lost -= before.lost
            ledger.xruns -= min(xruns, before.xruns)
            ledger.repaired -= min(repaired, before.repaired)
            ledger.filled -= min(filled, before.filled)
            ledger.corrected -= before.corrected
            ledger.startOffsetNanoseconds = 0
        }
        ledger.filled = min(ledger.filled, frames)
        // What is in the file is exact; what was resampled is known of whole periods alone.
        ledger.corrected = min(ledger.corrected, Int64(frames - ledger.filled))
        ledger.delivered = UInt64(Int64(frames - ledger.filled) - ledger.corrected)
        ledger.asked = ledger.delivered + ledger.lost.total
        ledger.marks = marks?.filter { $0.atNanoseconds >= part.start && $0.atNanoseconds < part.end ?? .max }
            .map { $0.since(part.start) }
        ledger.firstNanoseconds = part.firstTime[index]
        ledger.lastNanoseconds = part.lastTime[index]
        return ledger
    }
}
