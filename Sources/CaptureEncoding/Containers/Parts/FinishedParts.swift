import CaptureGate

/// What is known of the parts that are written.
struct FinishedParts {
    private(set) var parts: [ClipPart] = []
    private(set) var bytes: Int64 = 0
    /// From the clip's start to the end of the last one, nanoseconds.
    private(set) var end: Int64 = 0
    var counts: [EncoderCounts] = []
    /// In all of them, of each track.
    private(set) var kept: [KeptFrames] = []

    mutating func add(_ clip: Clip, of part: OpenPart) {
        parts.append(
            ClipPart(
                path: clip.path, startNanoseconds: part.start, durationNanoseconds: clip.durationNanoseconds,
                bytes: clip.bytes))
        bytes += clip.bytes
        end = max(end, part.start + clip.durationNanoseconds)
        if kept.isEmpty { kept = clip.ledger.tracks.map { _ in KeptFrames() } }
        for (index, track) in clip.ledger.tracks.enumerated() {
            kept[index].frames += track.frames
            kept[index].last = track.lastNanoseconds.map { part.start + $0 } ?? kept[index].last
        }
        for index in counts.indices { counts[index] = counts[index] + part.writer.counts(of: index) }
    }
}

extension EncoderCounts {
    static func + (first: EncoderCounts, second: EncoderCounts) -> EncoderCounts {
        var sum = first
        sum.frames += second.frames
        sum.packets += second.packets
        sum.bytes += second.bytes
        sum.repaired += second.repaired
        sum.skipped += second.skipped
        return sum
    }
}
