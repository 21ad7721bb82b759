import CSystem
import CaptureGate

/// Makes a recording's small pictures, not more often than asked.
///
/// *session-bound*
final class PreviewSource {
    private let maker: ThumbnailMaker
    private let interval: Int64
    private let show: (Thumbnail) -> Void
    private let now: () -> Int64
    private var next: Int64 = 0

    /// - Returns: `nil` for a format that no picture can be made of.
    init?(
        _ track: ClipTrack, _ settings: PreviewSettings,
        now: @escaping () -> Int64 = { cs_clock_ns(Int32(CS_CLOCK_MONOTONIC)) },
        show: @escaping (Thumbnail) -> Void
    ) {
        guard case .video(let format) = track.media else { return nil }
        let scale = min(
            Double(settings.width) / Double(max(format.width, 1)),
            Double(settings.height) / Double(max(format.height, 1)),
            1)
        let maker = try? ThumbnailMaker(
            format, width: Int(Double(format.width) * scale), height: Int(Double(format.height) * scale))
        guard let maker else { return nil }
        self.maker = maker
        self.show = show
        self.now = now
        interval = settings.interval.nanoseconds
    }

    /// - Parameter time: of the frame, nanoseconds on the clip's time line.
    func take(_ frame: RawSpan, at time: Int64) {
        guard time >= next else { return }
        let begin = now()
        let picture = maker.make(of: frame)
        // The recording comes first: a fifth of its thread's time at most.
        next = time + max(interval, 4 * (now() - begin))
        if let picture { show(picture) }
    }
}
