import CaptureGate

/// Stores one capture in several places, each in its format and with the tracks it can hold. One that fails is told of,
/// and finished as far as it is; the others go on.
///
/// *session-bound*
final class TeeWriter: PartsWriter {
    let tracks: [ClipTrack]
    /// The first one is the clip's own.
    let branches: [TeeBranch]
    private var untold: [OutputFailure] = []

    /// - Parameter branches: at least one.
    init(_ tracks: [ClipTrack], branches: [TeeBranch]) {
        self.tracks = tracks
        self.branches = branches
    }

    var format: ClipFormat { branches[0].writer.format }
    var bytesWritten: Int64 { branches.reduce(0) { $0 + $1.writer.bytesWritten } }
    var pendingBytes: Int64 { branches.reduce(0) { $0 + $1.writer.pendingBytes } }

    /// What the first branch that has the track counts.
    func counts(of track: Int) -> EncoderCounts {
        for branch in branches { if let own = branch.tracks[track] { return branch.writer.counts(of: own) } }
        return EncoderCounts()
    }

    /// - Throws: what the last branch threw, once none goes on.
    func write(_ data: RawSpan, to track: Int, at nanoseconds: Int64) throws(CaptureError) {
        try checkTrack(track)
        for branch in branches where branch.isOpen {
            guard let own = branch.tracks[track] else { continue }
            do {
                try branch.writer.write(data, to: own, at: nanoseconds)
            } catch {
                try end(branch, error)
            }
        }
    }

    func extend(to nanoseconds: Int64) {
        for branch in branches where branch.isOpen { branch.writer.extend(to: nanoseconds) }
    }

    func finishParts(_ ledger: () -> LossLedger) throws(CaptureError) {
        for branch in branches where branch.isOpen {
            guard let parts = branch.writer as? any PartsWriter else { continue }
            do {
                try parts.finishParts { branch.own(ledger()) }
            } catch {
                try end(branch, error)
            }
        }
    }

    func finish(ledger: LossLedger, end reason: EndReason) throws(CaptureError) -> Clip {
        let clips = branches.map { branch in branch.finish(ledger, reason) }
        guard case .success(var clip) = clips[0] else { return try clips[0].get() }
        clip.ledger = ledger
        clip.tees = zip(branches, clips).dropFirst().map { branch, result in branch.tee(result) }
        return clip
    }

    func discard() { for branch in branches { branch.writer.discard() } }

    /// The failures since the last call.
    func takeFailures() -> [OutputFailure] {
        if untold.isEmpty { return [] }
        defer { untold = [] }
        return untold
    }

    private func end(_ branch: TeeBranch, _ error: CaptureError) throws(CaptureError) {
        branch.ending = error
        if branches.allSatisfy({ !$0.isOpen }) { throw error }
        if error != .sizeReached { untold.append(OutputFailure(path: branch.path, error: error)) }
    }
}
