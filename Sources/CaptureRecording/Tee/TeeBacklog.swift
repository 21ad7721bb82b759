import CaptureEncoding
import CaptureGate

/// Account of what one of several outputs was given of a track.
struct TeeTrack: Sendable {
    /// Duration of a video frame, nanoseconds.
    private let frameDuration: Int64
    /// Frames written.
    var written: UInt64 = 0
    /// Frames of the camera that were left out.
    private(set) var shed: UInt64 = 0
    /// Frames that were left out and only stood for missing ones.
    private(set) var shedFills: UInt64 = 0
    /// Presentation time of the last video frame, which may stand in several places, nanoseconds.
    private(set) var last: Int64?
    /// Frames left out in a row in whose places none stands yet.
    private var missing: TeeFrame?

    init(_ track: ClipTrack) { frameDuration = track.nanoseconds(ofFrames: 1) }

    mutating func shed(_ frame: TeeFrame, fillsPlaces: Bool) {
        if !frame.isFill { shed += 1 }
        if frame.isFill, !fillsPlaces { shedFills += UInt64(frame.count) }
        if fillsPlaces { missing = joined(frame) }
    }

    /// Takes a frame in.
    /// - Returns: the places that it takes, those of frames left out before it included.
    mutating func take(_ frame: TeeFrame) -> TeeFrame {
        let places = joined(frame)
        missing = nil
        note(places)
        return places
    }

    /// Takes the places at the clip's end in which no frame stands.
    mutating func takeMissing() -> TeeFrame? {
        defer { missing = nil }
        if let missing { note(missing) }
        return missing
    }

    private mutating func note(_ places: TeeFrame) { last = places.time + Int64(places.count - 1) * frameDuration }

    private func joined(_ frame: TeeFrame) -> TeeFrame {
        guard let missing else { return frame }
        return TeeFrame(time: missing.time, count: missing.count + frame.count, isFill: frame.isFill)
    }
}

extension TrackLedger {
    /// Ledger of one of several outputs, derived from the capture's.
    /// - Parameters:
    ///   - track: account of the output.
    ///   - counts: of its encoder.
    ///   - fillsPlaces: true for a format of constant rate.
    ///   - hasEnded: true where it ended before the capture.
    func of(_ track: TeeTrack, _ counts: EncoderCounts, fillsPlaces: Bool, hasEnded: Bool) -> TrackLedger {
        var ledger = self
        ledger.lost.encoder += track.shed + counts.late
        ledger.lost.corrupt += counts.skipped
        ledger.repaired += counts.repaired
        ledger.delivered -= min(delivered, track.shed + counts.leftOut)
        if fillsPlaces { ledger.filled += track.shed } else { ledger.filled -= min(filled, track.shedFills) }
        if hasEnded { ledger.limit(to: track.written) }
        if kind == .video, lastNanoseconds != nil { ledger.lastNanoseconds = track.last }
        ledger.asked = ledger.delivered + ledger.lost.total
        return ledger
    }
}

/// Backlog of one of several outputs: frames that wait in memory, and those left out because it was too slow.
struct TeeBacklog: Sendable {
    /// Video frames that may wait: half a second at 30 frames a second. The next one is left out.
    static let mostFrames = 16
    /// Bytes of video that may wait, where frames are large; two frames always may.
    static let mostVideoBytes = 128 << 20
    /// Bytes of audio that may wait: with more the output has failed.
    static let mostAudioBytes = 64 << 20

    /// True for a format of constant rate, which needs a frame in each place.
    let fillsPlaces: Bool
    private(set) var tracks: [TeeTrack]
    private var frames = 0
    private var videoBytes = 0
    private var audioBytes = 0

    init(_ tracks: [ClipTrack], fillsPlaces: Bool) {
        self.tracks = tracks.map { TeeTrack($0) }
        self.fillsPlaces = fillsPlaces
    }

    // MARK: Audio

    /// Takes audio in.
    /// - Returns: false where too much waits.
    mutating func add(audio byteCount: Int) -> Bool {
        audioBytes += byteCount
        return audioBytes <= Self.mostAudioBytes
    }

    mutating func remove(audio byteCount: Int) { audioBytes -= byteCount }

    // MARK: Video

    var isFull: Bool { frames >= 2 && (frames >= Self.mostFrames || videoBytes >= Self.mostVideoBytes) }

    /// Takes a video frame in, or leaves it out.
    /// - Returns: the places that it takes; `nil` where it is left out.
    mutating func add(_ frame: TeeFrame, bytes byteCount: Int, to track: Int) -> TeeFrame? {
        guard !isFull else {
            shed(frame, of: track)
            return nil
        }
        frames += 1
        videoBytes += byteCount
        return tracks[track].take(frame)
    }

    /// Leaves a video frame out.
    mutating func shed(_ frame: TeeFrame, of track: Int) { tracks[track].shed(frame, fillsPlaces: fillsPlaces) }

    mutating func remove(video byteCount: Int) {
        frames -= 1
        videoBytes -= byteCount
    }

    mutating func takeMissing(of track: Int) -> TeeFrame? { tracks[track].takeMissing() }

    mutating func note(written frames: Int, to track: Int) { tracks[track].written += UInt64(frames) }
}

/// Places of a video frame on its way to one of several outputs.
struct TeeFrame: Sendable {
    /// Time of its first place, nanoseconds from the clip's start.
    var time: Int64
    /// Number of places that it takes in a row.
    var count: Int
    /// True for a frame that only stands for missing ones.
    let isFill: Bool
}
