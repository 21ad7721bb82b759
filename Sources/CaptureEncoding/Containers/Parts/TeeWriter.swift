import CaptureGate

/// Stores one capture in several places, each in its format and with the tracks it can hold, on a queue of its own. One that
/// fails is told of, and finished as far as it is; the others go on.
///
/// *session-bound*
final class TeeWriter: PartsWriter {
    let tracks: [ClipTrack]
    /// The first one is the clip's own.
    private let branches: [TeeBranch]
    /// Of each track.
    private let pools: [FramePool]
    /// Of each branch: whether it is known to have ended.
    private var hasEnded: [Bool]
    private var untold: [OutputFailure] = []
    /// Why the last one ended, once none goes on.
    private var failure: CaptureError?
    /// Why the first one could not be finished.
    private var finishFailure: CaptureError?

    /// - Parameter branches: at least one.
    init(_ tracks: [ClipTrack], branches: [TeeBranch]) {
        self.tracks = tracks
        self.branches = branches
        pools = tracks.map { FramePool(for: $0) }
        hasEnded = branches.map { _ in false }
    }

    var format: ClipFormat { branches[0].format }
    var bytesWritten: Int64 { branches.reduce(0) { $0 + $1.bytesWritten } }

    /// Each branch has its own, and its own ledger of them.
    func counts(of track: Int) -> EncoderCounts { EncoderCounts() }

    /// Of the place that has the fewest.
    func leftOut(of track: Int) -> UInt64 { branches.reduce(0) { max($0, $1.leftOut(of: track)) } }

    var isBusy: Bool { branches.contains(where: \.isBusy) }

    /// - Throws: what the last branch threw, once none goes on.
    func write(_ data: RawSpan, to track: Int, at nanoseconds: Int64) throws(CaptureError) {
        try prepare(track)
        let count = try tracks[track].frames(in: data)
        if tracks[track].kind == .video {
            hand(data, TeePicture(time: nanoseconds, count: 1, isFill: false), to: track)
        } else {
            let frame = pools[track].frame(data)
            for branch in branches { branch.write(frame, frames: count, to: track, at: nanoseconds) }
        }
    }

    func fill(_ data: RawSpan, to track: Int, at nanoseconds: Int64, times: Int) throws(CaptureError) {
        try prepare(track)
        hand(data, TeePicture(time: nanoseconds, count: times, isFill: true), to: track)
    }

    /// Copies it once, where any has time for it.
    private func hand(_ data: RawSpan, _ picture: TeePicture, to track: Int) {
        var frame: SharedFrame?
        for branch in branches {
            guard let places = branch.admit(picture, bytes: data.byteCount, to: track) else { continue }
            let shared = frame ?? pools[track].frame(data)
            branch.write(shared, in: places, to: track)
            frame = shared
        }
    }

    func extend(to nanoseconds: Int64) { for branch in branches { branch.extend(to: nanoseconds) } }

    var isPartOver: Bool { branches.contains(where: \.isPartOver) }

    func finishParts(_ ledger: () -> LossLedger) throws(CaptureError) {
        for branch in branches where branch.isPartOver { branch.finishParts(ledger()) }
    }

    func finish(ledger: LossLedger, end reason: EndReason) throws(CaptureError) -> Clip {
        // All at once: each disk takes its time.
        for branch in branches { branch.finish(ledger, reason) }
        let ends = branches.map { $0.end() }
        var clip = try clip(of: ends)
        clip.tees = ends.dropFirst().map(\.tee)
        return clip
    }

    /// Where the first place has no clip but another has one, it is a clip of no length.
    private func clip(of ends: [TeeEnd]) throws(CaptureError) -> Clip {
        guard case .failure(let error) = ends[0].clip else { return try ends[0].clip.get() }
        guard ends.contains(where: \.isClip) else { throw error }
        finishFailure = error
        let own = ends[0].tee
        return Clip(
            path: own.path, format: own.format, durationNanoseconds: 0, bytes: own.bytes, tracks: tracks,
            ledger: own.ledger, end: own.end)
    }

    func discard() { for branch in branches { branch.discard() } }

    /// The failures since the last call.
    func takeFailures() -> [OutputFailure] {
        look()
        if untold.isEmpty { return [] }
        defer { untold = [] }
        return untold
    }

    /// Why the first output, whose clip this is, has ended before the others.
    var ownFailure: CaptureError? {
        finishFailure ?? (branches[0].ending == .sizeReached ? nil : branches[0].ending)
    }

    private func prepare(_ track: Int) throws(CaptureError) {
        try checkTrack(track)
        look()
        if let failure { throw failure }
    }

    /// Learns which ones have ended meanwhile.
    private func look() {
        for (index, branch) in branches.enumerated() where !hasEnded[index] {
            guard let error = branch.ending else { continue }
            hasEnded[index] = true
            if !hasEnded.contains(false) {
                failure = error
            } else if error != .sizeReached {
                untold.append(OutputFailure(path: branch.path, error: error))
            }
        }
    }
}
