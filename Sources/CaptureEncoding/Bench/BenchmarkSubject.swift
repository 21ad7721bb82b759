import CaptureGate

/// What is measured: frames of one format, and what is made of them.
///
/// *thread-safe*
public struct BenchmarkSubject: Hashable, Sendable {
    public enum Work: Hashable, Sendable {
        /// An encoder of a clip's track.
        case encoder(EncoderSettings)
        /// Pictures for themselves.
        case still(StillFormat, StillParameters)
        /// A whole clip, encoded and put into its container, which goes nowhere: how fast a disk is, is not measured.
        case clip(ClipFormat, EncoderSettings)
    }

    /// By which a result is found again: unique among the subjects of a run.
    public let name: String
    /// What comes in.
    public let media: ClipTrack.Media
    public let work: Work

    public init(name: String, media: ClipTrack.Media, work: Work) {
        self.name = name
        self.media = media
        self.work = work
    }

    var track: ClipTrack { ClipTrack(media, name: name, device: "benchmark") }

    /// How long a frame is heard or seen, nanoseconds: a picture, or a period of sound.
    var frameNanoseconds: Int64 {
        switch media {
        case .audio: BenchmarkFrames.periodNanoseconds
        case .video(let format): format.frameRate.frameNanoseconds
        }
    }
}
