import CaptureEncoding
import CaptureGate

/// Rule for the frames of a camera's own stream in a clip: the first one is a key frame, and so is the first one after frames that
/// were omitted on purpose, such as those of a pause.
///
/// After a loss the clip continues with any frame: the effect on a decoder is unknown, and there may be no key frame for a long
/// time.
///
/// *session-bound*
final class KeyFrameStart {
    private let stream: CameraStream
    private let device: String
    /// True while a key frame is waited for.
    private(set) var isWaiting = true
    /// Timestamp of the first frame, CLOCK_MONOTONIC nanoseconds; `nil` before it.
    private var since: Int64?
    private var hasBegun = false

    /// Time in which a camera must send a key frame, nanoseconds: some send one each ten seconds.
    private static let patience: Int64 = 30_000_000_000

    /// - Parameters:
    ///   - format: of the frames.
    ///   - device: name of the camera, for the error.
    /// - Returns: `nil` for frames that need no others.
    init?(_ format: VideoFormat, of device: String) {
        guard let stream = CameraStream(format) else { return nil }
        self.stream = stream
        self.device = device
    }

    /// Decision about a frame.
    enum Verdict {
        /// It may enter the clip.
        case admitted
        /// It needs others that the clip lacks.
        case waits
        /// Not a frame, and nothing is missing without it.
        case apart
    }

    /// Decides whether a frame may enter the clip.
    /// - Throws: `.unavailable` for a camera that sends no key frame for half a minute.
    func judge(_ frame: RawSpan, _ header: FrameHeader) throws(CaptureError) -> Verdict {
        // A camera that was missing, or was restarted, codes from the start.
        if header.flags.contains(.reattached) || header.flags.contains(.restarted) { isWaiting = true }
        let found = stream.look(at: frame)
        guard found != .header else { return .apart }
        guard isWaiting, found != .key else {
            hasBegun = true
            return .admitted
        }
        let first = since ?? header.timestamp
        since = first
        guard hasBegun || header.timestamp - first < Self.patience else { throw noKeyFrame }
        return .waits
    }

    /// Lends a frame that may enter the clip, with its parameter sets if a clip can begin there.
    /// - Parameter body: returns true if the clip contains the frame. If not, the clip continues with the next key frame.
    func enter(
        _ frame: RawSpan, _ body: (RawSpan) throws(CaptureError) -> Bool
    ) throws(CaptureError) {
        isWaiting = try !stream.withFrame(frame, body)
    }

    private var noKeyFrame: CaptureError {
        CaptureError(
            .unavailable,
            "\(device) has sent no usable key frame for \(Self.patience / 1_000_000_000) s. A clip needs a key frame with "
                + "parameter sets in the agreed size.",
            remedies: [Remedy("Choose another --pixel-format, such as MJPG or YUYV.")])
    }
}
