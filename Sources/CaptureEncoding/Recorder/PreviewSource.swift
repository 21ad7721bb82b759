import CaptureGate

/// Makes a recording's small pictures, not more often than asked.
///
/// *session-bound*
final class PreviewSource {
    private let maker: ThumbnailMaker
    private let interval: Int64
    private let show: (Thumbnail) -> Void
    private var next: Int64 = 0

    /// - Returns: `nil` for a format that no picture can be made of.
    init?(_ format: VideoFormat, _ settings: PreviewSettings, show: @escaping (Thumbnail) -> Void) {
        let scale = min(
            Double(settings.width) / Double(max(format.width, 1)),
            Double(settings.height) / Double(max(format.height, 1)),
            1)
        let maker = try? ThumbnailMaker(
            format, width: Int(Double(format.width) * scale), height: Int(Double(format.height) * scale))
        guard let maker else { return nil }
        self.maker = maker
        self.show = show
        interval = settings.interval.nanoseconds
    }

    /// - Parameter time: of the frame, nanoseconds on the clip's time line.
    func take(_ frame: RawSpan, at time: Int64) {
        guard time >= next, let picture = maker.make(of: frame) else { return }
        next = time + interval
        show(picture)
    }
}
