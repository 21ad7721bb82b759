import CaptureEncoding
import CaptureGate

/// Count of the frames that a recording lost, and the only one: ledger, progress and events are derived from it.
///
/// Frames enter it once, from the header that the capture thread wrote (`FrameHeader.lost`), or for a device that was away
/// from the clip's own time. A log is for one recording; each track has a place in it, which is its index in the clip.
///
/// *session-bound*
final class LossLog {
    private struct TrackLosses {
        let track: ClipTrack
        var lost = LostFrames()
        /// Frames with an error flag, no bytes or too few: the device's statistics distinguish the three at the end.
        var damaged: UInt64 = 0
        /// Total of the frames that the writer dropped, at the last check.
        var leftOut: UInt64 = 0
        var events: [LossEvent] = []
    }

    let policy: LossPolicy
    /// Error that ends the clip; `nil` unless the policy is ``LossPolicy/fail`` and a frame was lost.
    private(set) var failure: CaptureError?
    private var tracks: [TrackLosses] = []
    private var untold: [(track: Int, event: LossEvent)] = []

    /// Most events that are kept of each track: a longer list would not be read, and would need unlimited memory.
    static let mostEvents = 1000

    init(_ policy: LossPolicy) { self.policy = policy }

    /// Adds a track, in the order of the clip.
    /// - Returns: its index.
    func add(_ track: ClipTrack) -> Int {
        tracks.append(TrackLosses(track: track))
        return tracks.count - 1
    }

    // MARK: Counting

    /// Counts frames lost by the device or in the ring before a frame.
    /// - Parameters:
    ///   - device: frames lost by the device.
    ///   - ring: frames for which the ring had no free slot.
    ///   - damaged: frames with an error flag, no bytes or too few.
    ///   - flags: flags of the frame after them, which show why the device lost frames.
    ///   - track: index in the clip.
    func count(device: UInt64, ring: UInt64, damaged: UInt64 = 0, before flags: FrameFlags, of track: Int) {
        tracks[track].lost.add(device, before: flags)
        tracks[track].lost.ring += ring
        tracks[track].damaged += damaged
    }

    /// Counts frames lost for a cause that no header tells, such as an absence of the device.
    func count(_ frames: UInt64, as cause: WritableKeyPath<LostFrames, UInt64>, of track: Int) {
        tracks[track].lost[keyPath: cause] += frames
    }

    // MARK: Policy

    /// Handles a loss by the policy: notes an event, or ends the clip. It counts nothing.
    /// - Parameters:
    ///   - frames: frames missing before the next one; 0 does nothing.
    ///   - track: index in the clip.
    ///   - nanoseconds: start of the gap in the clip.
    ///   - signal: cause of the loss, if it is the input's signal.
    /// - Throws: if the clip must end before the gap.
    func note(
        _ frames: UInt64, of track: Int, at nanoseconds: Int64, signal: SignalState = .present
    ) throws(CaptureError) {
        guard frames > 0, policy != .fill else { return }
        if policy == .fail { throw fail(frames, tracks[track].track, signal) }
        guard tracks[track].events.count < Self.mostEvents else { return }
        let event = LossEvent(atNanoseconds: nanoseconds, frames: frames)
        tracks[track].events.append(event)
        untold.append((track, event))
    }

    /// Notes the frames that a writer dropped since the last call.
    /// - Parameters:
    ///   - total: `ClipWriter.leftOut(of:)`. The writer counts them; here is only the number noted so far.
    ///   - track: index in the clip.
    ///   - nanoseconds: the last frame's time in the clip.
    /// - Throws: as `note(_:of:at:signal:)`.
    func note(leftOut total: UInt64, of track: Int, at nanoseconds: Int64) throws(CaptureError) {
        let before = tracks[track].leftOut
        tracks[track].leftOut = total
        try note(total - min(before, total), of: track, at: nanoseconds)
    }

    private func fail(_ frames: UInt64, _ track: ClipTrack, _ signal: SignalState) -> CaptureError {
        let noun = track.kind == .video ? "frame" : "sample"
        let loss = "has lost \(frames) \(noun)\(frames == 1 ? "" : "s")"
        let error = CaptureError(
            .inputOutput, "\(track.name) \(signal == .present ? loss : signal.phrase).",
            remedies: [Remedy("To continue after losses, use --on-loss mark.")])
        failure = error
        return error
    }

    // MARK: Reading

    /// Losses of a track by cause, all damaged frames aside.
    func lost(of track: Int) -> LostFrames { tracks[track].lost }

    /// Damaged frames of a track.
    func damaged(of track: Int) -> UInt64 { tracks[track].damaged }

    /// Frames lost in a track so far, damaged ones included.
    func total(of track: Int) -> UInt64 { tracks[track].lost.total + tracks[track].damaged }

    /// Events of a track, the first thousand; `nil` if losses are not marked.
    func events(of track: Int) -> [LossEvent]? { policy == .mark ? tracks[track].events : nil }

    /// Events since the last call.
    func takeUntold() -> [(track: Int, event: LossEvent)] {
        if untold.isEmpty { return [] }
        defer { untold = [] }
        return untold
    }
}
