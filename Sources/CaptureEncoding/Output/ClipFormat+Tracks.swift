import CaptureGate

extension ClipFormat {
    /// Checks whether the format can hold such tracks, before anybody is asked for a device.
    /// - Parameter kinds: one entry a track.
    /// - Throws: `.usage`, saying what can hold them.
    public func check(_ kinds: [MediaKind]) throws(CaptureError) {
        guard !kinds.isEmpty else {
            throw CaptureError(
                .usage, "A clip needs a camera or a microphone, and neither is chosen.",
                remedies: [Remedy("Choose one with --camera or --microphone.")])
        }
        for kind in Set(kinds) where !self.kinds.contains(kind) { throw cannotHold(kind) }
        guard kinds.count == 1 || self == .matroska || self == .nothing else {
            throw CaptureError(
                .usage, "\(title) holds one track, not \(kinds.count).",
                remedies: [Remedy("Record to a name that ends in .mkv.")])
        }
    }

    private func cannotHold(_ kind: MediaKind) -> CaptureError {
        kind == .video
            ? CaptureError(
                .usage, "\(title) holds sound alone, no picture.",
                remedies: [Remedy("Record to a name that ends in .mkv, or leave the camera out with --camera none.")])
            : CaptureError(
                .usage, "\(title) holds pictures alone, no sound.",
                remedies: [
                    Remedy("Record to a name that ends in .mkv, or leave the microphone out with --microphone none.")
                ])
    }

    /// The name people know it by.
    public var title: String {
        switch self {
        case .wav: "WAV"
        case .flac: "FLAC"
        case .matroska: "Matroska"
        case .opus: "Ogg Opus"
        case .mjpeg: "A stream of JPEG images"
        case .y4m: "Y4M"
        case .raw: "A raw file"
        case .nothing: "null:"
        }
    }
}
