import CaptureBase

/// Storage for the tracks of a clip: takes frames as they come, each track's in the order of time.
///
/// After an error of the output everything before it is kept: `finish` still makes a valid file.
///
/// *session-bound*
public protocol ClipWriter: AnyObject {
    /// Format of the file; of several outputs, that of the clip's own.
    var format: ClipFormat { get }
    /// Tracks as the caller writes them: an index here is the `track` of each call.
    var tracks: [ClipTrack] { get }
    /// The same tracks as stored in the file: in other formats if the writer converts.
    var storedTracks: [ClipTrack] { get }
    /// Bytes written so far.
    var bytesWritten: Int64 { get }
    /// Maximum bytes that finishing now would add.
    var pendingBytes: Int64 { get }

    /// Work of a track's encoder so far; for `ClipFormat.nothing`, the input frames.
    func counts(of track: Int) -> EncoderCounts

    /// Frames that were handed in and are in no file, or not in each of several: broken ones, and those for which an encoder
    /// was too slow. An output that lags may not have counted the latest ones yet.
    func leftOut(of track: Int) -> UInt64

    /// True while the next video frame would be dropped, since the output is slower than the capture. A caller that can wait
    /// should wait.
    var isBusy: Bool { get }

    /// Error after which the output takes no more frames; `nil` while it does. An error that shows only when the clip is
    /// finished is reported here alone: `finish` returns a clip anyway.
    var failure: CaptureError? { get }

    /// True while a segment waits to be finished: see `finishSegments(_:)`.
    var isSegmentOver: Bool { get }

    /// Finishes the segments for which no track has more frames. Call it between writes; a writer of one file does nothing.
    /// - Parameter ledger: the losses so far; requested only when a segment is finished.
    func finishSegments(_ ledger: () -> LossLedger) throws(CaptureError)

    /// Failures of single outputs since the last call, while others continue; none for a writer of one output.
    func takeFailures() -> [OutputFailure]

    /// Error that ended the clip's own output while others continued; `nil` for a writer of one output.
    var ownFailure: CaptureError? { get }

    /// Stores frames.
    /// - Parameters:
    ///   - data: whole interleaved frames of audio, or one buffer of the camera driver. A video frame that is broken or
    ///     short is skipped and counted.
    ///   - track: index in `tracks`.
    ///   - nanoseconds: presentation time from the clip's start, 0 or later.
    /// - Throws: `.diskFull` or `.inputOutput`: call `finish`; `.usage` for data that can't be of this track.
    func write(_ data: RawSpan, to track: Int, at nanoseconds: Int64) throws(CaptureError)

    /// Stores a video frame several times in a row, each one frame later: for itself and for missing frames.
    /// - Throws: as `write(_:to:at:)`.
    func fill(_ data: RawSpan, to track: Int, at nanoseconds: Int64, times: Int) throws(CaptureError)

    /// Adds a chapter, if the format stores them.
    /// It is written when the clip is finished.
    func add(_ chapter: ClipChapter)

    /// Extends the clip to a time even if no frame follows: its last video frame is shown until then.
    func extend(to nanoseconds: Int64)

    /// Writes the frames still held by an encoder, the index and the totals, and gives the file its name. Call it once.
    /// - Throws: `.fileExists`, `.inputOutput`, `.diskFull`; the file then stays under its partial name.
    func finish(ledger: LossLedger, end: EndReason) throws(CaptureError) -> Clip

    /// Removes the written files.
    func discard()
}

extension ClipWriter {
    /// `tracks`, for writers that convert nothing.
    public var storedTracks: [ClipTrack] { tracks }

    /// Frames that the encoder has skipped, and those for which the output had no room.
    public func leftOut(of track: Int) -> UInt64 { counts(of: track).leftOut }

    /// False: a synchronous writer is never busy.
    public var isBusy: Bool { false }

    /// `nil`, for writers that keep no error.
    public var failure: CaptureError? { nil }

    /// False, for writers of one file.
    public var isSegmentOver: Bool { false }

    /// Nothing, for writers of one file.
    public func finishSegments(_ ledger: () -> LossLedger) throws(CaptureError) {}

    /// None, for writers of one output.
    public func takeFailures() -> [OutputFailure] { [] }

    /// `nil`, for writers of one output.
    public var ownFailure: CaptureError? { nil }

    /// Encodes the frame once for each time.
    public func fill(_ data: RawSpan, to track: Int, at nanoseconds: Int64, times: Int) throws(CaptureError) {
        try checkTrack(track)
        for time in 0..<times {
            try write(data, to: track, at: nanoseconds + tracks[track].nanoseconds(ofFrames: Int64(time)))
        }
    }

    /// Does nothing, for formats without chapters.
    public func add(_ chapter: ClipChapter) {}

    /// Does nothing, for formats whose frames follow one another: such a clip lasts as long as its frames.
    public func extend(to nanoseconds: Int64) {}

    /// 0, for writers that hold nothing back.
    public var pendingBytes: Int64 { 0 }

    /// Stores audio on the first audio track.
    /// - Throws: as `write(_:to:at:)`; `.usage` without an audio track.
    public func write(audio: RawSpan, at nanoseconds: Int64) throws(CaptureError) {
        try write(audio, to: firstTrack(of: .audio), at: nanoseconds)
    }

    /// Stores a frame on the first video track.
    /// - Throws: as `write(_:to:at:)`; `.usage` without a video track.
    public func write(video: RawSpan, at nanoseconds: Int64) throws(CaptureError) {
        try write(video, to: firstTrack(of: .video), at: nanoseconds)
    }

    private func firstTrack(of kind: MediaKind) throws(CaptureError) -> Int {
        guard let index = tracks.firstIndex(where: { $0.kind == kind }) else {
            throw CaptureError(.usage, "The clip has no \(kind.rawValue) track.")
        }
        return index
    }

    package func checkTrack(_ track: Int) throws(CaptureError) {
        guard tracks.indices.contains(track) else {
            throw CaptureError(.usage, "The clip has \(tracks.count) tracks, but no track \(track).")
        }
    }
}
