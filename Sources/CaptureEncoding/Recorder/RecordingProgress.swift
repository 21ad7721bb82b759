/// How a recording stands, about ten times a second.
///
/// *thread-safe*
public struct RecordingProgress: Hashable, Sendable, Codable {
    /// From the clip's start to the end of its last frame, nanoseconds.
    public let elapsedNanoseconds: Int64
    /// Bytes written so far.
    public let bytes: Int64
    /// In the clip's order of tracks.
    public let microphones: [AudioProgress]
    public let cameras: [VideoProgress]

    /// The first microphone.
    public var audio: AudioProgress? { microphones.first }
    /// The first camera.
    public var video: VideoProgress? { cameras.first }
}

/// The sound of a recording, since the last progress.
public struct AudioProgress: Hashable, Sendable, Codable {
    /// The loudest sample, dB of full scale, 0 or less; -120 for silence.
    public let peakDBFS: Double
    /// The power, dB of full scale, as a full-scale square wave is 0; -120 for silence.
    public let rmsDBFS: Double
    /// Whether a sample stood at full scale.
    public let clipped: Bool
    /// Audio frames in the clip.
    public let frames: UInt64
    /// Audio frames lost.
    public let lost: UInt64
    public let xruns: UInt64
}

/// The picture of a recording.
public struct VideoProgress: Hashable, Sendable, Codable {
    /// Pictures in the clip.
    public let frames: UInt64
    public let lost: UInt64
    /// Pictures a second since the clip's start.
    public let framesPerSecond: Double
}
