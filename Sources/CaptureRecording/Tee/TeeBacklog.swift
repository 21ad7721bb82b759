import CaptureEncoding
import CaptureGate

/// Account of what one of several outputs was given of a track.
struct TeeTrack: Sendable {
    /// Duration of a video frame, nanoseconds.
    private let frameDuration: Int64
    /// Frames written.
    var written: UInt64 = 0
    /// Dropped frames of the camera.
    private(set) var shed: UInt64 = 0
    /// Frames of the camera that were dropped because they need a dropped frame before them.
    private(set) var dependent: UInt64 = 0
    /// Dropped frames that only replaced missing ones.
    private(set) var shedFills: UInt64 = 0
    /// Presentation time of the last video frame, which may fill several places, nanoseconds.
    private(set) var last: Int64?
    /// Dropped frames in a row, whose places are still empty.
    private var missing: TeeFrame?
    /// True if the next frame must be one that needs no other.
    private var awaitsKey = false

    init(_ track: ClipTrack) { frameDuration = track.nanoseconds(ofFrames: 1) }

    /// Dropped frames of the camera.
    var leftOut: UInt64 { shed + dependent }

    /// True for a frame that can't be decoded.
    func isCutOff(_ frame: TeeFrame) -> Bool { awaitsKey && frame.hasPacket && !frame.isKey }

    /// Leaves a frame out that others may need.
    mutating func cut(_ frame: TeeFrame, fillsPlaces: Bool) {
        guard frame.hasPacket else { return shed(frame, fillsPlaces: fillsPlaces) }
        let isDependent = isCutOff(frame)
        awaitsKey = true
        shed(frame, fillsPlaces: fillsPlaces)
        guard isDependent, !frame.isFill else { return }
        shed -= 1
        dependent += 1
    }

    /// Leaves a frame out that no other needs.
    mutating func shed(_ frame: TeeFrame, fillsPlaces: Bool) {
        if !frame.isFill { shed += 1 }
        if frame.isFill, !fillsPlaces { shedFills += UInt64(frame.count) }
        if fillsPlaces { missing = joined(frame) }
    }

    /// Accepts a frame.
    /// - Returns: its places, including those of frames dropped before it.
    mutating func take(_ frame: TeeFrame) -> TeeFrame {
        let places = joined(frame)
        missing = nil
        if frame.hasPacket { awaitsKey = false }
        note(places)
        return places
    }

    /// Returns the empty places at the clip's end.
    mutating func takeMissing() -> TeeFrame? {
        defer { missing = nil }
        if let missing { note(missing) }
        return missing
    }

    private mutating func note(_ places: TeeFrame) { last = places.time + Int64(places.count - 1) * frameDuration }

    private func joined(_ frame: TeeFrame) -> TeeFrame {
        guard let missing else { return frame }
        var places = frame
        (places.time, places.count) = (missing.time, missing.count + frame.count)
        return places
    }
}

extension TrackLedger {
    /// Ledger of one of several outputs, derived from the capture's.
    /// - Parameters:
    ///   - track: account of the output.
    ///   - counts: of its encoder.
    ///   - fillsPlaces: true for a format of constant rate.
    ///   - hasEnded: true if it ended before the capture.
    func of(_ track: TeeTrack, _ counts: EncoderCounts, fillsPlaces: Bool, hasEnded: Bool) -> TrackLedger {
        var ledger = self
        ledger.lost.encoder += track.shed + counts.late
        ledger.lost.keyFrame += track.dependent
        ledger.lost.corrupt += counts.skipped
        ledger.repaired += counts.repaired
        ledger.delivered -= min(delivered, track.leftOut + counts.leftOut)
        if fillsPlaces { ledger.filled += track.leftOut } else { ledger.filled -= min(filled, track.shedFills) }
        if hasEnded { ledger.limit(to: track.written) }
        if kind == .video, lastNanoseconds != nil { ledger.lastNanoseconds = track.last }
        ledger.asked = ledger.delivered + ledger.lost.total
        return ledger
    }
}

/// Backlog of one of several outputs: frames that wait in memory, and those dropped because it was too slow.
struct TeeBacklog: Sendable {
    /// Maximum number of waiting video frames: half a second at 30 frames per second. The next one is dropped.
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
    /// - Returns: false if too much waits.
    mutating func add(audio byteCount: Int) -> Bool {
        audioBytes += byteCount
        return audioBytes <= Self.mostAudioBytes
    }

    mutating func remove(audio byteCount: Int) { audioBytes -= byteCount }

    // MARK: Video

    var isFull: Bool { frames >= 2 && (frames >= Self.mostFrames || videoBytes >= Self.mostVideoBytes) }

    /// Accepts a video frame, or drops it, and then each one that needs it.
    /// - Returns: its places; `nil` if it is dropped.
    mutating func add(_ frame: TeeFrame, bytes byteCount: Int, to track: Int) -> TeeFrame? {
        guard !isFull, !tracks[track].isCutOff(frame) else {
            tracks[track].cut(frame, fillsPlaces: fillsPlaces)
            return nil
        }
        frames += 1
        videoBytes += byteCount
        return tracks[track].take(frame)
    }

    /// Leaves a video frame out that was not encoded: none needs it.
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
    /// True for a frame that only replaces missing ones.
    let isFill: Bool
    /// False for a frame that needs the one before it.
    var isKey = true
    /// False for one that its encoder skipped: no other needs it, and it needs none.
    var hasPacket = true
}
