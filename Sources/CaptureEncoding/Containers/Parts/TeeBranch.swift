import CaptureGate
import Dispatch

/// One of the places that a capture goes to, encoded and written on a queue of its own, so that none waits for another.
///
/// What it has no time for waits in memory. Where 16 pictures wait, or 128 MiB of them, the next is left out of this
/// place's clip and counted there as lost by the encoder; in a format of constant rate the one after, or at the end the
/// one before, stands in its place. Sound is never left out: a place that is more than 64 MiB of it behind has failed.
///
/// *thread-safe*
final class TeeBranch: Sendable {
    let path: String
    let format: ClipFormat
    /// For each track of the capture, which one it is here; `nil` where the format can't hold it.
    let tracks: [Int?]
    private let writer: Locked<any ClipWriter>
    private let state: Locked<State>
    private let queue = DispatchQueue(label: "capturegate.tee")

    private struct State {
        var backlog: TeeBacklog
        /// Why it has no more.
        var ending: CaptureError?
        var bytesWritten: Int64 = 0
        /// Pictures that the encoder has skipped, of each track.
        var skipped: [UInt64]
        var isPartOver = false
        /// The last picture, of a format in which each place needs one.
        var latest: SharedFrame?
        var ended: TeeEnd?
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
    /// Whether it leaves out what comes now.
    var isBusy: Bool { state.withLock { $0.ending == nil && $0.backlog.isFull } }
    /// Whether a part waits to be finished.
    var isPartOver: Bool { state.withLock { $0.ending == nil && $0.isPartOver } }

    /// - Parameter track: of the capture.
    func leftOut(of track: Int) -> UInt64 {
        guard let own = tracks[track] else { return 0 }
        return state.withLock { $0.skipped[own] + $0.backlog.tracks[own].shed }
    }

    // MARK: On the thread of whoever captures

    /// - Parameters:
    ///   - count: frames in it.
    ///   - track: of the capture.
    func write(_ sound: SharedFrame, frames count: Int, to track: Int, at time: Int64) {
        guard let own = tracks[track], admits({ $0.add(sound: sound.byteCount) }) else { return }
        work(
            { writer throws(CaptureError) in
                try sound.withBytes { (bytes) throws(CaptureError) in try writer.write(bytes, to: own, at: time) }
                self.note(written: count, to: own)
            }, done: { $0.remove(sound: sound.byteCount) })
    }

    /// Takes a picture in, or leaves it out.
    /// - Parameter track: of the capture.
    /// - Returns: the places that it takes, for `write(_:in:to:)`; `nil` where there is none.
    func admit(_ picture: TeePicture, bytes byteCount: Int, to track: Int) -> TeePicture? {
        guard let own = tracks[track] else { return nil }
        return state.withLock { $0.ending == nil ? $0.backlog.add(picture, bytes: byteCount, to: own) : nil }
    }

    /// - Parameters:
    ///   - frame: the picture that was taken in.
    ///   - track: of the capture.
    func write(_ frame: SharedFrame, in places: TeePicture, to track: Int) {
        guard let own = tracks[track] else { return }
        if format.hasConstantRate { state.withLock { $0.latest = frame } }
        work(
            { writer throws(CaptureError) in try self.write(frame, in: places, to: own, writer) },
            done: { $0.remove(picture: frame.byteCount) })
    }

    func extend(to nanoseconds: Int64) {
        work { writer throws(CaptureError) in writer.extend(to: nanoseconds) }
    }

    /// - Parameter ledger: of the capture so far.
    func finishParts(_ ledger: LossLedger) {
        work { writer throws(CaptureError) in
            try (writer as? any PartsWriter)?.finishParts { self.own(ledger, writer) }
        }
    }

    /// Has it finish what it has; `end()` waits for that.
    /// - Parameter ledger: of the whole capture.
    func finish(_ ledger: LossLedger, _ reason: EndReason) {
        fillEnd()
        queue.async { [self] in
            let ended = writer.withLock { writer in
                TeeEnd(writer, path: path, ending, ledger: own(ledger, writer), reason)
            }
            state.withLock { $0.ended = ended }
        }
    }

    /// Waits until all that was handed over is done.
    func wait() { queue.sync {} }

    /// What came of it, once it has finished.
    func end() -> TeeEnd {
        wait()
        return state.withLock { $0.ended } ?? TeeEnd(unfinished: path, format)
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

    /// Nothing more comes that could stand where pictures were left out: the last one does.
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
                    for own in state.skipped.indices { state.skipped[own] = writer.counts(of: own).skipped }
                    state.isPartOver = (writer as? any PartsWriter)?.isPartOver ?? false
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
        _ frame: SharedFrame, in places: TeePicture, to own: Int, _ writer: any ClipWriter
    ) throws(CaptureError) {
        try frame.withBytes { (bytes) throws(CaptureError) in
            try writer.fill(bytes, to: own, at: places.time, times: places.count)
        }
        note(written: places.count, to: own)
    }

    private func note(written count: Int, to own: Int) { state.withLock { $0.backlog.note(written: count, to: own) } }

    /// Of what the capture gave, what became of it here.
    private func own(_ ledger: LossLedger, _ writer: any ClipWriter) -> LossLedger {
        let (backlog, hasEnded) = state.withLock { ($0.backlog, $0.ending != nil) }
        return LossLedger(
            tracks: zip(tracks, ledger.tracks).compactMap { own, track in
                guard let own else { return nil }
                return track.of(
                    backlog.tracks[own], writer.counts(of: own), fillsPlaces: backlog.fillsPlaces, hasEnded: hasEnded)
            })
    }
}

extension CaptureError {
    fileprivate static func tooSlow(_ path: String) -> CaptureError {
        CaptureError(
            .inputOutput, "\(path == "-" ? "Standard output" : path) is too slow: too much sound waits for it.",
            remedies: [Remedy("Choose a faster place for it, or a faster codec.")])
    }
}
