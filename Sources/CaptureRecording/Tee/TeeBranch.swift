import CaptureEncoding
import CaptureGate
import Dispatch

/// One of several outputs of a capture, encoded and written on a separate queue, so that none waits for another.
///
/// Frames wait in memory. If 16 video frames or 128 MiB of them wait, the next is dropped from this output's clip and counted
/// there as lost by the encoder. In a format of constant rate the next frame replaces it, or at the end the previous one. After a
/// dropped frame, those that need it are dropped, too. Audio is never dropped: an output that is more than 64 MiB of audio behind
/// has failed.
///
/// *thread-safe*
final class TeeBranch: Sendable {
    let path: String
    let format: ClipFormat
    /// Index in this output of each track of the capture; `nil` if the format can't hold it.
    let tracks: [Int?]
    private let writer: Locked<any ClipWriter>
    private let state: Locked<State>
    private let queue = DispatchQueue(label: "capturegate.tee")

    private struct State {
        var backlog: TeeBacklog
        /// Error that ended it.
        var ending: CaptureError?
        var bytesWritten: Int64 = 0
        /// Frames that the encoder has skipped, or for which the output had no room, of each track.
        var skipped: [UInt64]
        var isSegmentOver = false
        /// Last video frame, for a format in which each place needs one.
        var latest: SharedFrame?
        var ended: TeeResult?
    }

    init(path: String, writer: sending any ClipWriter, tracks: [Int?]) {
        self.path = path
        self.tracks = tracks
        format = writer.format
        let backlog = TeeBacklog(writer.tracks, fillsPlaces: writer.format.hasConstantRate)
        state = Locked(State(backlog: backlog, skipped: Array(repeating: 0, count: writer.tracks.count)))
        self.writer = Locked(writer)
    }

    var ending: CaptureError? { state.withLock { $0.ending } }
    var bytesWritten: Int64 { state.withLock { $0.bytesWritten } }
    /// True while it drops the next video frame.
    var isBusy: Bool { state.withLock { $0.ending == nil && $0.backlog.isFull } }
    /// True while a segment waits to be finished.
    var isSegmentOver: Bool { state.withLock { $0.ending == nil && $0.isSegmentOver } }

    /// Frames of a track that are not in this output.
    /// - Parameter track: of the capture.
    func leftOut(of track: Int) -> UInt64 {
        guard let own = tracks[track] else { return 0 }
        return state.withLock { $0.skipped[own] + $0.backlog.tracks[own].leftOut }
    }

    // MARK: On the capturing thread

    /// Hands audio over.
    /// - Parameters:
    ///   - audio: whole frames.
    ///   - count: frames in it.
    ///   - track: of the capture.
    ///   - time: of its first frame in the clip, nanoseconds.
    func write(_ audio: SharedFrame, frames count: Int, to track: Int, at time: Int64) {
        guard let own = tracks[track], admits({ $0.add(audio: audio.byteCount) }) else { return }
        work(
            { writer throws(CaptureError) in
                try audio.withBytes { (bytes) throws(CaptureError) in try writer.write(bytes, to: own, at: time) }
                self.note(written: count, to: own)
            }, done: { $0.remove(audio: audio.byteCount) })
    }

    /// Accepts a video frame, or drops it.
    /// - Parameters:
    ///   - frame: its places in the clip.
    ///   - byteCount: its size.
    ///   - track: track of the capture.
    /// - Returns: its places, for `write(_:in:to:)`; `nil` if none exists.
    func admit(_ frame: TeeFrame, bytes byteCount: Int, to track: Int) -> TeeFrame? {
        guard let own = tracks[track] else { return nil }
        return state.withLock { $0.ending == nil ? $0.backlog.add(frame, bytes: byteCount, to: own) : nil }
    }

    /// Leaves a video frame out that nobody could encode in time.
    /// - Parameters:
    ///   - frame: its places in the clip.
    ///   - track: of the capture.
    func leaveOut(_ frame: TeeFrame, of track: Int) {
        guard let own = tracks[track] else { return }
        state.withLock { if $0.ending == nil { $0.backlog.shed(frame, of: own) } }
    }

    /// Ends the output with an error that is not its own.
    func fail(_ error: CaptureError) { state.withLock { $0.ending = $0.ending ?? error } }

    /// Hands a video frame over.
    /// - Parameters:
    ///   - frame: that `admit` took in.
    ///   - places: that `admit` returned.
    ///   - track: of the capture.
    func write(_ frame: SharedFrame, in places: TeeFrame, to track: Int) {
        guard let own = tracks[track] else { return }
        if format.hasConstantRate { state.withLock { $0.latest = frame } }
        work(
            { writer throws(CaptureError) in try self.write(frame, in: places, to: own, writer) },
            done: { $0.remove(video: frame.byteCount) })
    }

    func add(_ chapter: ClipChapter) {
        work { writer throws(CaptureError) in writer.add(chapter) }
    }

    func extend(to nanoseconds: Int64) {
        work { writer throws(CaptureError) in writer.extend(to: nanoseconds) }
    }

    /// Finishes the segments that are over.
    /// - Parameter ledger: of the capture so far.
    func finishSegments(_ ledger: LossLedger) {
        work { writer throws(CaptureError) in
            try writer.finishSegments { self.own(ledger, writer) }
        }
    }

    /// Begins to finish the output; `result()` waits for that.
    /// - Parameters:
    ///   - ledger: of the whole capture.
    ///   - reason: of the capture's end.
    func finish(_ ledger: LossLedger, _ reason: EndReason) {
        fillEnd()
        queue.async { [self] in
            let ended = writer.withLock { writer in
                TeeResult(writer, path: path, ending, ledger: own(ledger, writer), reason)
            }
            state.withLock { $0.ended = ended }
        }
    }

    /// Waits until everything that was handed over is written.
    func wait() { queue.sync {} }

    /// Result of the output, once it is finished.
    func result() -> TeeResult {
        wait()
        return state.withLock { $0.ended } ?? TeeResult(unfinished: path, format)
    }

    func discard() {
        wait()
        writer.withLock { $0.discard() }
    }

    private func admits(_ add: (inout TeeBacklog) -> Bool) -> Bool {
        state.withLock { state in
            guard state.ending == nil else { return false }
            if !add(&state.backlog) { state.ending = .tooSlow(path) }
            return state.ending == nil
        }
    }

    /// Fills the places of dropped frames at the end with the last frame, since no other follows.
    private func fillEnd() {
        guard format.hasConstantRate, let latest = state.withLock({ $0.latest }) else { return }
        for own in tracks.compactMap(\.self) {
            guard let places = state.withLock({ $0.backlog.takeMissing(of: own) }) else { continue }
            work({ writer throws(CaptureError) in try self.write(latest, in: places, to: own, writer) })
        }
    }

    // MARK: On the queue

    private func work(
        _ body: @escaping @Sendable (any ClipWriter) throws(CaptureError) -> Void,
        done: @escaping @Sendable (inout TeeBacklog) -> Void = { _ in }
    ) {
        queue.async { [self] in
            writer.withLock { writer in
                let failure = ending == nil ? failure(of: body, writer) : nil
                state.withLock { state in
                    done(&state.backlog)
                    state.ending = state.ending ?? failure
                    state.bytesWritten = writer.bytesWritten
                    for own in state.skipped.indices { state.skipped[own] = writer.counts(of: own).leftOut }
                    state.isSegmentOver = writer.isSegmentOver
                }
            }
        }
    }

    private func failure(
        of body: (any ClipWriter) throws(CaptureError) -> Void, _ writer: any ClipWriter
    ) -> CaptureError? {
        do {
            try body(writer)
            return nil
        } catch {
            return error
        }
    }

    private func write(
        _ frame: SharedFrame, in places: TeeFrame, to own: Int, _ writer: any ClipWriter
    ) throws(CaptureError) {
        try frame.withBytes { (bytes) throws(CaptureError) in
            try writer.fill(bytes, to: own, at: places.time, times: places.count)
        }
        note(written: places.count, to: own)
    }

    private func note(written count: Int, to own: Int) { state.withLock { $0.backlog.note(written: count, to: own) } }

    /// Ledger of this output, derived from the capture's.
    private func own(_ ledger: LossLedger, _ writer: any ClipWriter) -> LossLedger {
        let (backlog, hasEnded) = state.withLock { ($0.backlog, $0.ending != nil) }
        return LossLedger(
            tracks: zip(tracks, ledger.tracks).compactMap { own, track in
                guard let own else { return nil }
                return track.of(
                    backlog.tracks[own], writer.counts(of: own), fillsPlaces: backlog.fillsPlaces, hasEnded: hasEnded)
            }, pauses: ledger.pauses)
    }
}

extension CaptureError {
    fileprivate static func tooSlow(_ path: String) -> CaptureError {
        CaptureError(
            .inputOutput, "\(path == "-" ? "Standard output" : path) is too slow, so the audio buffer is full.",
            remedies: [Remedy("Choose a faster disk or a faster codec.")])
    }
}
