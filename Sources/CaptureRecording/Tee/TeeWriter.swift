import CaptureEncoding
import CaptureGate

/// Writer of one capture to several outputs, each in its format and with the tracks that it can hold. A failed output is reported,
/// and finished with the frames so far; the others continue. Outputs that store a track in the same codec share its encoding.
///
/// *session-bound*
final class TeeWriter: ClipWriter {
    let tracks: [ClipTrack]
    /// Outputs; the first one is the clip's own.
    private let branches: [TeeBranch]
    /// Those that encode by themselves.
    private let direct: [TeeBranch]
    /// Encodings of the others, one for each codec.
    let shared: [SharedEncoding]
    /// Memory of each track's frames.
    private let pools: [FramePool]
    /// True for branches that are known to have ended.
    private var hasEnded: [Bool]
    private var untold: [OutputFailure] = []
    /// Error of the branch that ended last, once all have ended.
    private var lastFailure: CaptureError?
    /// Error that kept the first one from being finished.
    private var finishFailure: CaptureError?

    /// - Parameters:
    ///   - tracks: of the capture.
    ///   - branches: at least one.
    ///   - shared: encodings of some of them.
    init(_ tracks: [ClipTrack], branches: [TeeBranch], shared: [SharedEncoding] = []) {
        self.tracks = tracks
        self.branches = branches
        self.shared = shared
        direct = branches.filter { branch in !shared.contains { $0.has(branch) } }
        pools = tracks.map { FramePool(for: $0) }
        hasEnded = branches.map { _ in false }
    }

    var format: ClipFormat { branches[0].format }
    var bytesWritten: Int64 { branches.reduce(0) { $0 + $1.bytesWritten } }

    /// Nothing: each branch has its own counts, and a ledger of them.
    func counts(of track: Int) -> EncoderCounts { EncoderCounts() }

    /// Number of frames dropped by the output that dropped most.
    func leftOut(of track: Int) -> UInt64 { branches.reduce(0) { max($0, $1.leftOut(of: track)) } }

    var isBusy: Bool { shared.contains(where: \.isBusy) || branches.contains(where: \.isBusy) }

    /// - Throws: the error of the branch that ended last, once all have ended.
    func write(_ data: RawSpan, to track: Int, at nanoseconds: Int64) throws(CaptureError) {
        try prepare(track)
        let count = try tracks[track].frames(in: data)
        if tracks[track].kind == .video {
            hand(data, TeeFrame(time: nanoseconds, count: 1, isFill: false, isKey: isKey(data, track)), to: track)
        } else {
            let frame = pools[track].frame(data)
            for branch in direct { branch.write(frame, frames: count, to: track, at: nanoseconds) }
            for encoding in shared { encoding.write(frame, frames: count, to: track, at: nanoseconds) }
        }
    }

    func fill(_ data: RawSpan, to track: Int, at nanoseconds: Int64, times: Int) throws(CaptureError) {
        try prepare(track)
        hand(data, TeeFrame(time: nanoseconds, count: times, isFill: true, isKey: isKey(data, track)), to: track)
    }

    private func isKey(_ data: RawSpan, _ track: Int) -> Bool { tracks[track].video?.isKeyFrame(data) ?? true }

    /// Copies a video frame once, if any output takes it in.
    private func hand(_ data: RawSpan, _ video: TeeFrame, to track: Int) {
        var frame: SharedFrame?
        for branch in direct {
            guard let places = branch.admit(video, bytes: data.byteCount, to: track) else { continue }
            let copy = frame ?? pools[track].frame(data)
            branch.write(copy, in: places, to: track)
            frame = copy
        }
        for encoding in shared where encoding.takes(track) {
            guard encoding.admit(bytes: data.byteCount) else {
                encoding.leaveOut(video, of: track)
                continue
            }
            let copy = frame ?? pools[track].frame(data)
            encoding.write(copy, in: video, to: track)
            frame = copy
        }
    }

    func add(_ chapter: ClipChapter) { for branch in branches { branch.add(chapter) } }

    func extend(to nanoseconds: Int64) {
        for branch in direct { branch.extend(to: nanoseconds) }
        for encoding in shared { encoding.extend(to: nanoseconds) }
    }

    var isSegmentOver: Bool { branches.contains(where: \.isSegmentOver) }

    func finishSegments(_ ledger: () -> LossLedger) throws(CaptureError) {
        for branch in direct where branch.isSegmentOver { branch.finishSegments(ledger()) }
        for encoding in shared {
            for branch in encoding.branches where branch.isSegmentOver {
                encoding.finishSegments(of: branch, ledger())
            }
        }
    }

    func finish(ledger: LossLedger, end reason: EndReason) throws(CaptureError) -> Clip {
        // All at once: each disk takes its time.
        for branch in direct { branch.finish(ledger, reason) }
        for encoding in shared { encoding.finish(ledger, reason) }
        for encoding in shared { encoding.wait() }
        let results = branches.map { $0.result() }
        var clip = try clip(of: results)
        clip.tees = results.dropFirst().map(\.tee)
        return clip
    }

    /// Clip of the recording. Where the first output has no file but another has one, it is a clip of no length.
    private func clip(of results: [TeeResult]) throws(CaptureError) -> Clip {
        guard case .failure(let error) = results[0].clip else { return try results[0].clip.get() }
        guard results.contains(where: \.isClip) else { throw error }
        finishFailure = error
        let own = results[0].tee
        return Clip(
            path: own.path, format: own.format, duration: .zero, bytes: own.bytes, tracks: tracks,
            ledger: own.ledger, end: own.end)
    }

    func discard() {
        for encoding in shared { encoding.wait() }
        for branch in branches { branch.discard() }
    }

    /// Failures since the last call.
    func takeFailures() -> [OutputFailure] {
        look()
        if untold.isEmpty { return [] }
        defer { untold = [] }
        return untold
    }

    /// Error for which the first output, whose clip this is, ended before the others.
    var ownFailure: CaptureError? {
        if let finishFailure { return finishFailure }
        return branches[0].ending.flatMap { $0.isNormalEnd ? nil : $0 }
    }

    private func prepare(_ track: Int) throws(CaptureError) {
        try checkTrack(track)
        look()
        if let lastFailure { throw lastFailure }
    }

    /// Checks for branches that have ended meanwhile.
    private func look() {
        for (index, branch) in branches.enumerated() where !hasEnded[index] {
            guard let error = branch.ending else { continue }
            hasEnded[index] = true
            if !hasEnded.contains(false) {
                lastFailure = error
            } else if !error.isNormalEnd {
                untold.append(OutputFailure(path: branch.path, error: error))
            }
        }
    }
}

/// Result of one of several outputs.
struct TeeResult: Sendable {
    let clip: Result<Clip, CaptureError>
    let tee: ClipTee

    var isClip: Bool { (try? clip.get()) != nil }

    /// Finishes the output.
    /// - Parameters:
    ///   - writer: of the output.
    ///   - path: of the output.
    ///   - ending: error that ended it before the capture; `nil` if none did.
    ///   - ledger: of the output.
    ///   - reason: of the capture's end.
    init(
        _ writer: any ClipWriter, path: String, _ ending: CaptureError?, ledger: LossLedger, _ reason: EndReason
    ) {
        let reason = ending.map { EndReason(ofOutput: $0) } ?? reason
        do throws(CaptureError) {
            let clip = try writer.finish(ledger: ledger, end: reason)
            self.clip = .success(clip)
            let error = ending ?? (clip.end == reason ? nil : writer.failure)
            tee = ClipTee(clip, error: error.flatMap { $0.isNormalEnd ? nil : $0 })
        } catch {
            clip = .failure(error)
            tee = ClipTee(path: path, writer.format, bytes: writer.bytesWritten, ledger, error)
        }
    }

    init(unfinished path: String, _ format: ClipFormat) {
        let error = CaptureError(.inputOutput, "\(path) was not finished.")
        clip = .failure(error)
        tee = ClipTee(path: path, format, bytes: 0, LossLedger(), error)
    }
}

extension ClipTee {
    fileprivate init(_ clip: Clip, error: CaptureError?) {
        self.init(
            path: clip.path, format: clip.format, duration: clip.duration, bytes: clip.bytes,
            end: clip.end, error: error, ledger: clip.ledger, segments: clip.segments)
    }

    fileprivate init(path: String, _ format: ClipFormat, bytes: Int64, _ ledger: LossLedger, _ error: CaptureError) {
        self.init(
            path: path, format: format, duration: .zero, bytes: bytes, end: EndReason(ofOutput: error),
            error: error, ledger: ledger, segments: [])
    }
}
