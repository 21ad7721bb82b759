import CaptureGate

/// Does with each loss of a recording what was said.
final class LossBook {
    let policy: LossPolicy
    /// Why the clip ends, where losses end it.
    private(set) var failure: CaptureError?
    private var untold: [(track: Int, mark: LossMark)] = []
    private var marks: [[LossMark]] = []

    /// More would be a list that nobody reads, and memory without bounds.
    static let most = 1000

    init(_ policy: LossPolicy) { self.policy = policy }

    /// Notes that frames are missing before those that come next.
    /// - Parameters:
    ///   - track: index in the clip.
    ///   - nanoseconds: where in the clip the hole begins.
    ///   - signal: why, where that is it.
    /// - Throws: where the clip is to end before it.
    func note(
        _ frames: UInt64, of track: ClipTrack, _ index: Int, at nanoseconds: Int64, signal: SignalState = .present
    ) throws(CaptureError) {
        guard frames > 0, policy != .fill else { return }
        if policy == .fail { throw fail(frames, track, signal) }
        let mark = LossMark(atNanoseconds: nanoseconds, frames: frames)
        while marks.count <= index { marks.append([]) }
        guard marks[index].count < Self.most else { return }
        marks[index].append(mark)
        untold.append((index, mark))
    }

    /// `nil` where nothing is marked.
    func marks(of track: Int) -> [LossMark]? {
        guard policy == .mark else { return nil }
        return marks.indices.contains(track) ? marks[track] : []
    }

    /// Those since the last call.
    func takeUntold() -> [(track: Int, mark: LossMark)] {
        if untold.isEmpty { return [] }
        defer { untold = [] }
        return untold
    }

    private func fail(_ frames: UInt64, _ track: ClipTrack, _ signal: SignalState) -> CaptureError {
        let noun = track.kind == .video ? "picture" : "sample"
        let loss = "has lost \(frames) \(noun)\(frames == 1 ? "" : "s")"
        let error = CaptureError(
            .inputOutput, "\(track.name) \(signal == .present ? loss : signal.phrase).",
            remedies: [Remedy("Go on over losses with --on-loss mark.")])
        failure = error
        return error
    }
}
