import CaptureGate

/// What one output of several was given of a track.
struct TeeTrack: Sendable {
    /// How long a picture stands, nanoseconds.
    private let frame: Int64
    /// Frames.
    var written: UInt64 = 0
    /// Pictures of the camera's that were left out.
    private(set) var shed: UInt64 = 0
    /// Pictures that were left out, and only stood in the places of others.
    private(set) var shedFills: UInt64 = 0
    /// Presentation time of the last picture, which may stand in several places, nanoseconds.
    private(set) var last: Int64?
    /// Those left out in a row in whose places none stands yet.
    private var missing: TeePicture?

    init(_ track: ClipTrack) { frame = track.nanoseconds(ofFrames: 1) }

    mutating func shed(_ picture: TeePicture, fillsPlaces: Bool) {
        if !picture.isFill { shed += 1 }
        if picture.isFill, !fillsPlaces { shedFills += UInt64(picture.count) }
        if fillsPlaces { missing = joined(picture) }
    }

    /// - Returns: the places that it takes.
    mutating func take(_ picture: TeePicture) -> TeePicture {
        let places = joined(picture)
        missing = nil
        note(places)
        return places
    }

    /// The places at the clip's end in which none stands.
    mutating func takeMissing() -> TeePicture? {
        defer { missing = nil }
        if let missing { note(missing) }
        return missing
    }

    private mutating func note(_ places: TeePicture) { last = places.time + Int64(places.count - 1) * frame }

    private func joined(_ picture: TeePicture) -> TeePicture {
        guard let missing else { return picture }
        return TeePicture(time: missing.time, count: missing.count + picture.count, isFill: picture.isFill)
    }
}

extension TrackLedger {
    /// What became of the frames on the way to one output of several.
    /// - Parameters:
    ///   - counts: its encoder's.
    ///   - hasEnded: whether it has ended before the capture.
    func of(_ track: TeeTrack, _ counts: EncoderCounts, fillsPlaces: Bool, hasEnded: Bool) -> TrackLedger {
        var ledger = self
        ledger.lost.encoder += track.shed
        ledger.lost.corrupt += counts.skipped
        ledger.repaired += counts.repaired
        ledger.delivered -= min(delivered, track.shed + counts.skipped)
        if fillsPlaces { ledger.filled += track.shed } else { ledger.filled -= min(filled, track.shedFills) }
        if hasEnded { ledger.limit(to: track.written) }
        if kind == .video, lastNanoseconds != nil { ledger.lastNanoseconds = track.last }
        ledger.asked = ledger.delivered + ledger.lost.total
        return ledger
    }
}
