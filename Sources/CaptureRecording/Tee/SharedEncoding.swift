import CaptureEncoding
import CaptureGate
import Dispatch

/// Encoding that several outputs of a capture share: each raw video frame is made a JPEG image once, and every output gets it.
///
/// It has a queue of its own, through which all goes that its outputs get, in the order of the capture. Where 16 video frames
/// wait for it, or 128 MiB of them, the next is left out of each of its outputs' clips, as a slow output leaves it out of its
/// own. JPEG alone is shared: any image may be left out of one clip and kept in another.
///
/// *thread-safe*
final class SharedEncoding: Sendable {
    /// Outputs that store its images.
    let branches: [TeeBranch]
    /// Encoders of the capture's tracks; `nil` for tracks that are handed on as they are.
    private let compressors: Locked<[FrameCompressor?]>
    private let backlog = Locked(Backlog())
    /// Memory of each track's images.
    private let pools: [FramePool]
    let queue = DispatchQueue(label: "capturegate.encoding")

    private struct Backlog {
        var frames = 0
        var bytes = 0

        var isFull: Bool { frames >= 2 && (frames >= TeeBacklog.mostFrames || bytes >= TeeBacklog.mostVideoBytes) }
    }

    /// - Parameters:
    ///   - compressors: of the capture's tracks; `nil` for each that is no raw video.
    ///   - branches: whose tracks are those images.
    ///   - tracks: of the capture, as the branches get them.
    init(_ compressors: sending [FrameCompressor?], branches: [TeeBranch], tracks: [ClipTrack]) {
        self.compressors = Locked(compressors)
        self.branches = branches
        pools = tracks.map { FramePool(for: $0) }
    }

    /// True while the next video frame is left out.
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

    /// Takes a video frame in.
    /// - Parameter byteCount: its size.
    /// - Returns: false where it is left out; say so by `leaveOut(_:of:)`.
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
        each { $0.finish(ledger, reason) }
        // Their threads end, too.
        queue.async { [self] in compressors.withLock { $0 = [] } }
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
        do throws(CaptureError) {
            let image = try image(of: frame, track)
            for branch in branches {
                guard let own = branch.admit(places, bytes: image.byteCount, to: track) else { continue }
                branch.write(image, in: own, to: track)
            }
        } catch {
            for branch in branches where branch.tracks[track] != nil { branch.fail(error) }
        }
    }

    /// Image of a frame, without bytes for one that was short; the frame itself for a track that is not encoded here.
    private func image(of frame: SharedFrame, _ track: Int) throws(CaptureError) -> SharedFrame {
        try compressors.withLock { (compressors) throws(CaptureError) in
            guard compressors.indices.contains(track), let compressor = compressors[track] else { return frame }
            var image = frame
            try frame.withBytes { (bytes) throws(CaptureError) in
                image = try compressor.withImage(of: bytes) { pools[track].frame($0) }
            }
            return image
        }
    }
}

extension ClipTrack {
    /// True for frames that can be made JPEG images.
    var isRawVideo: Bool { video.map { !$0.pixelFormat.isCompressed } ?? false }

    /// The track as it is where its frames are images.
    /// - Parameter compressor: of its frames; `nil` leaves it as it is.
    func compressed(by compressor: FrameCompressor?) -> ClipTrack {
        compressor.map { ClipTrack(.video($0.format), name: name, device: device) } ?? self
    }
}
