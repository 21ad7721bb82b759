import CaptureGate

/// One microphone or camera of a clip, with the format that was negotiated.
///
/// *thread-safe*
public struct ClipTrack: Hashable, Sendable {
    public enum Media: Hashable, Sendable {
        case audio(AudioFormat)
        case video(VideoFormat)
    }

    public let media: Media
    /// The name a person reads, such as "HD Pro Webcam C920".
    public let name: String
    /// The device's stable id.
    public let device: String

    public init(_ media: Media, name: String, device: String) {
        self.media = media
        self.name = name
        self.device = device
    }

    public var kind: MediaKind { audio == nil ? .video : .audio }

    public var audio: AudioFormat? {
        if case .audio(let format) = media { format } else { nil }
    }

    public var video: VideoFormat? {
        if case .video(let format) = media { format } else { nil }
    }
}
