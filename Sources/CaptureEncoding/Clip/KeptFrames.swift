/// Frames of a track that are in the file.
struct KeptFrames: Hashable {
    var frames: UInt64 = 0
    /// Presentation time of the last one, nanoseconds from the clip's start; `nil` where there is none.
    var last: Int64?
}

extension KeptFrames {
    /// - Parameters:
    ///   - track: whose frames they are.
    ///   - duration: of all, nanoseconds.
    ///   - end: of the last one, nanoseconds from the clip's start.
    init(of track: ClipTrack, lasting duration: Int64, until end: Int64) {
        frames = UInt64(max(track.frames(lasting: duration), 0))
        last = frames == 0 ? nil : end - track.nanoseconds(ofFrames: 1)
    }
}

extension LossLedger {
    /// Of an output that has failed.
    func fitted(to kept: [KeptFrames]) -> LossLedger {
        var ledger = self
        for (index, kept) in kept.enumerated() where ledger.tracks.indices.contains(index) {
            ledger.tracks[index].fit(to: kept)
        }
        return ledger
    }
}
