import CaptureGate

/// Stores the tracks of a clip as they come, each in the order of time.
///
/// After an error of the output everything before it is kept: `finish` still makes a valid file of it.
///
/// *session-bound*
public protocol ClipWriter: AnyObject {
    var format: ClipFormat { get }
    var tracks: [ClipTrack] { get }
    /// Bytes written so far.
    var bytesWritten: Int64 { get }
    /// What finishing it now would add to these, at most.
    var pendingBytes: Int64 { get }

    /// What the encoder of a track did so far; for `ClipFormat.nothing`, what came in.
    func counts(of track: Int) -> EncoderCounts

    /// Pictures that were handed in and are in no file, or not in each of several: broken ones, and those that an encoder was
    /// too slow for. What is behind may not be known yet.
    func leftOut(of track: Int) -> UInt64

    /// Whether it would leave a picture out that came now: it is not as fast as what comes. Whoever can wait, does.
    var isBusy: Bool { get }

    /// Stores frames.
    /// - Parameters:
    ///   - data: sound: whole interleaved frames; pictures: one buffer of the driver's. A picture that is broken or
    ///     short is skipped and counted.
    ///   - track: index in `tracks`.
    ///   - nanoseconds: when they are to be presented, from the clip's start, 0 or later.
    /// - Throws: `.diskFull` or `.inputOutput`: call `finish`; `.usage` for data that can't be of this track.
    func write(_ data: RawSpan, to track: Int, at nanoseconds: Int64) throws(CaptureError)

    /// Stores a picture several times in a row, each a frame later, in its own place and in those of missing ones.
    /// - Throws: as `write(_:to:at:)`.
    func fill(_ data: RawSpan, to track: Int, at nanoseconds: Int64, times: Int) throws(CaptureError)

    /// Says that the clip lasts until then although nothing more may come: its last picture stands until the end.
    func extend(to nanoseconds: Int64)

    /// Writes what is still inside and what only the end knows, and gives the file its name. Once.
    /// - Throws: `.fileExists`, `.inputOutput`, `.diskFull`; what there is then stays under the partial name.
    func finish(ledger: LossLedger, end: EndReason) throws(CaptureError) -> Clip

    /// Leaves nothing behind.
    func discard()
}

extension ClipWriter {
    /// Those that the encoder has skipped.
    public func leftOut(of track: Int) -> UInt64 { counts(of: track).skipped }

    /// One that stores what comes before it returns never is.
    public var isBusy: Bool { false }

    /// Encodes it each time.
    public func fill(_ data: RawSpan, to track: Int, at nanoseconds: Int64, times: Int) throws(CaptureError) {
        try checkTrack(track)
        for time in 0..<times {
            try write(data, to: track, at: nanoseconds + tracks[track].nanoseconds(ofFrames: Int64(time)))
        }
    }

    /// For formats whose frames lie one after another: they last as long as their frames.
    public func extend(to nanoseconds: Int64) {}

    /// For those that keep nothing back.
    public var pendingBytes: Int64 { 0 }

    /// Stores sound on the first track of sound.
    /// - Throws: as `write(_:to:at:)`; `.usage` if there is none.
    public func write(audio: RawSpan, at nanoseconds: Int64) throws(CaptureError) {
        try write(audio, to: firstTrack(of: .audio), at: nanoseconds)
    }

    /// Stores a picture on the first track of pictures.
    /// - Throws: as `write(_:to:at:)`; `.usage` if there is none.
    public func write(video: RawSpan, at nanoseconds: Int64) throws(CaptureError) {
        try write(video, to: firstTrack(of: .video), at: nanoseconds)
    }

    private func firstTrack(of kind: MediaKind) throws(CaptureError) -> Int {
        guard let index = tracks.firstIndex(where: { $0.kind == kind }) else {
            throw CaptureError(.usage, "The clip has no track of \(kind.rawValue).")
        }
        return index
    }

    func checkTrack(_ track: Int) throws(CaptureError) {
        guard tracks.indices.contains(track) else {
            throw CaptureError(.usage, "The clip has \(tracks.count) tracks, none of number \(track).")
        }
    }
}
