import CaptureEncoding
import CaptureGate

/// Path of one device into the clip: it places the device's frames on the clip's time and writes them.
///
/// *session-bound*
protocol TrackRecorder: AnyObject {
    associatedtype Source: FrameSource
    /// Source of its frames.
    var source: Source { get }
    /// Index in the clip.
    var index: Int { get }
    /// Track as the device delivers it.
    var track: ClipTrack { get }
    /// Track as the writer gets it.
    var writtenTrack: ClipTrack { get }
    /// True once the track has everything that the clip is to have of it.
    var isComplete: Bool { get }
    /// Time from the clip's start to the end of the last frame, nanoseconds.
    var elapsed: Int64 { get }

    /// Has levels and preview follow the frames that wait for the clip's start, or no more.
    func watchHeld(_ isOn: Bool)
    /// Writes the available data: all the audio, which is fast, or one video frame, so that audio never waits for more than one.
    /// - Returns: false if there was none.
    func write(to writer: any ClipWriter) throws(CaptureError) -> Bool
    /// Writes one period or video frame.
    /// - Returns: false if nothing was there.
    func writeNext(to writer: any ClipWriter) throws(CaptureError) -> Bool
    /// Ends the track at a time in the clip, with everything up to there lost, since its device is missing.
    /// - Parameters:
    ///   - nanoseconds: time from the clip's start.
    ///   - writer: gets the replacement for the lost frames.
    func miss(until nanoseconds: Int64, in writer: any ClipWriter) throws(CaptureError)
    /// Ends the track at a time in the clip whose length was open until now, nanoseconds from its start.
    func limit(to nanoseconds: Int64)
    /// Writes what is still inside; no more frames follow.
    func finish() throws(CaptureError)
    /// Account of the track's frames, derived from the loss log, the device's statistics and the writer's counts.
    func ledger(counts: EncoderCounts) -> TrackLedger
    /// Measurements since the last call.
    /// - Parameter leftOut: frames that the writer could not store.
    func progress(leftOut: UInt64) -> TrackProgress
}

/// Measurements of one track for ``RecordingProgress``.
enum TrackProgress {
    case audio(AudioProgress)
    case video(VideoProgress)
}

extension TrackRecorder {
    var writtenTrack: ClipTrack { track }

    func finish() throws(CaptureError) {}

    /// Does nothing, for tracks that check the clip's length with each frame.
    func limit(to nanoseconds: Int64) {}

    var isAudio: Bool { track.kind == .audio }
}

/// Source of a track's frames: those held in memory first, then those that the device delivers.
///
/// *session-bound*
protocol FrameSource: AnyObject {
    /// Number of the decision that allows the capture; `nil` if none exists.
    var decision: Int64? { get }
    /// Settings that the device does otherwise than asked.
    var differences: [FormatDifference] { get }
    /// Descriptor for poll(2), readable while frames wait; -1 for a closed device.
    var readySignal: Int32 { get }
    /// End of the device's capture, once everything was taken; `nil` before.
    var end: SessionEnd? { get }
    /// State of the signal at the device's input.
    var signal: SignalState { get }
    /// Handle for other threads, valid until the device is opened again; `nil` for a closed device.
    var handle: SessionHandle? { get }
    /// Timestamp of the last frame that the capture thread committed, CLOCK_MONOTONIC nanoseconds.
    var lastTimestamp: Int64 { get }
    /// Timestamp of the oldest frame held in memory, CLOCK_MONOTONIC nanoseconds; `nil` if none is.
    var oldestHeld: Int64? { get }
    /// True once the device has delivered a frame that was thrown away, or one that a clip can begin with and that is held.
    var hasDelivered: Bool { get }
    /// True for a camera's own stream, whose frames need those since a key frame.
    var needsKeys: Bool { get }
    /// Timestamp of a held key frame: the last one up to a moment, otherwise the first one; `nil` if none is held, and for frames
    /// that need no others. CLOCK_MONOTONIC nanoseconds.
    func heldKey(near moment: Int64) -> Int64?

    func start()
    func stop()
    /// Reopens a device that was unplugged; throws while it is away.
    /// - Returns: false while it is being opened in the background: ask again.
    func reattach() throws(CaptureError) -> Bool
    /// Discards one period or video frame, while other devices have not started yet. Of a camera's own stream it takes one into
    /// memory and discards those before a key frame, since the next key frame may be ten seconds away.
    /// - Returns: false if none exists.
    func skip() -> Bool
    /// Takes one more period or video frame into memory.
    /// - Returns: false if none exists.
    func holdNext() throws(CaptureError) -> Bool
    /// Takes one more period or video frame into memory, and discards those that are too old.
    /// - Parameters:
    ///   - nanoseconds: time span to keep in memory.
    ///   - most: maximum memory of the frames, bytes.
    /// - Returns: false if none exists.
    func hold(_ nanoseconds: Int64, most: Int) throws(CaptureError) -> Bool
}
