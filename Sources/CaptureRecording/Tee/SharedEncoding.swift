import CaptureEncoding
import CaptureGate
import Dispatch

/// Encoding that several outputs of a capture share: each video frame is encoded once, and every output gets its packet.
///
/// It has a separate queue for everything that its outputs get, in the order of the capture. If 16 video frames or 128 MiB of them
/// wait for it, the next is dropped from the clips of all its outputs, as a slow output drops it from its own. An output that
/// drops a packet continues with the next one that needs none before it: any image of MJPEG, or a key frame of the predictive
/// codecs.
///
/// *thread-safe*
final class SharedEncoding: Sendable {
    /// Outputs that store its packets.
    let branches: [TeeBranch]
    private let encoders: SharedEncoders
    private let backlog = Locked(Backlog())
    let queue = DispatchQueue(label: "capturegate.encoding")

    private struct Backlog {
        var frames = 0
        var bytes = 0

        var isFull: Bool { frames >= 2 && (frames >= TeeBacklog.mostFrames || bytes >= TeeBacklog.mostVideoBytes) }
    }

    /// - Parameters:
    ///   - encoders: of the capture's tracks.
    ///   - branches: whose tracks are those that the encoders make.
    init(_ encoders: SharedEncoders, branches: [TeeBranch]) {
        self.encoders = encoders
        self.branches = branches
    }

    func has(_ branch: TeeBranch) -> Bool { branches.contains { $0 === branch } }

    /// True while the next video frame is dropped.
    var isBusy: Bool { backlog.withLock { $0.isFull } }

    // MARK: On the capturing thread

    /// True for a track that any of its outputs takes.
    func takes(_ track: Int) -> Bool { branches.contains { $0.ending == nil && $0.tracks[track] != nil } }

    /// Hands audio over.
    /// - Parameters:
    ///   - audio: whole frames.
    ///   - count: frames in it.
    ///   - track: of the capture.
    ///   - time: of its first frame in the clip, nanoseconds.
    func write(_ audio: SharedFrame, frames count: Int, to track: Int, at time: Int64) {
        each { $0.write(audio, frames: count, to: track, at: time) }
    }

    /// Accepts a video frame.
    /// - Parameter byteCount: its size.
    /// - Returns: false if it is dropped; report that by `leaveOut(_:of:)`.
    func admit(bytes byteCount: Int) -> Bool {
        backlog.withLock { backlog in
            guard !backlog.isFull else { return false }
            backlog.frames += 1
            backlog.bytes += byteCount
            return true
        }
    }

    /// Has a video frame encoded.
    /// - Parameters:
    ///   - frame: that `admit` took in.
    ///   - places: of the frame in the clip.
    ///   - track: of the capture.
    func write(_ frame: SharedFrame, in places: TeeFrame, to track: Int) {
        queue.async { [self] in
            encode(frame, in: places, to: track)
            backlog.withLock { backlog in
                backlog.frames -= 1
                backlog.bytes -= frame.byteCount
            }
        }
    }

    /// Notes a video frame that `admit` did not take in. The outputs count it after the frames before it.
    func leaveOut(_ places: TeeFrame, of track: Int) { each { $0.leaveOut(places, of: track) } }

    func extend(to nanoseconds: Int64) { each { $0.extend(to: nanoseconds) } }

    /// Finishes the segments of an output that are over.
    /// - Parameters:
    ///   - branch: one of its outputs.
    ///   - ledger: of the capture so far.
    func finishSegments(of branch: TeeBranch, _ ledger: LossLedger) { queue.async { branch.finishSegments(ledger) } }

    /// Begins to finish the outputs, once they have everything. No more frames follow.
    /// - Parameters:
    ///   - ledger: of the whole capture.
    ///   - reason: of the capture's end.
    func finish(_ ledger: LossLedger, _ reason: EndReason) {
        queue.async { [self] in
            let ledger = finishEncoders(ledger)
            for branch in branches { branch.finish(ledger, reason) }
        }
    }

    /// Waits until its outputs have everything that was handed over.
    func wait() { queue.sync {} }

    private func each(_ body: @escaping @Sendable (TeeBranch) -> Void) {
        queue.async { [self] in for branch in branches { body(branch) } }
    }

    // MARK: On the queue

    private func encode(_ frame: SharedFrame, in places: TeeFrame, to track: Int) {
        // Nobody waits for it any more.
        guard takes(track) else { return }
        guard encoders.coded[track] != nil else { return hand(frame, in: places, to: track) }
        failing(track) { (encoder) throws(CaptureError) in
            try frame.withBytes { (bytes) throws(CaptureError) in
                try encoder.encode(bytes, in: places) { hand($0, in: $1, to: track) }
            }
        }
    }

    private func hand(_ packet: SharedFrame, in places: TeeFrame, to track: Int) {
        for branch in branches {
            guard let own = branch.admit(places, bytes: packet.byteCount, to: track) else { continue }
            branch.write(packet, in: own, to: track)
        }
    }

    /// Hands on what the encoders still hold, and ends them and their threads.
    /// - Returns: the ledger with the frames that they repaired.
    private func finishEncoders(_ ledger: LossLedger) -> LossLedger {
        var ledger = ledger
        for track in ledger.tracks.indices {
            failing(track) { (encoder) throws(CaptureError) in
                ledger.tracks[track].repaired += encoder.repaired
                try encoder.finish { hand($0, in: $1, to: track) }
            }
        }
        encoders.end()
        return ledger
    }

    /// Ends the outputs of a track whose encoder fails.
    private func failing(_ track: Int, _ body: (SharedEncoder) throws(CaptureError) -> Void) {
        do throws(CaptureError) {
            try encoders.with(track, body)
        } catch {
            for branch in branches where branch.tracks[track] != nil { branch.fail(error) }
        }
    }
}

extension ClipTrack {
    /// True for frames that can be made JPEG images.
    var isRawVideo: Bool { coded == nil && video.map { !$0.pixelFormat.isCompressed } ?? false }
}
