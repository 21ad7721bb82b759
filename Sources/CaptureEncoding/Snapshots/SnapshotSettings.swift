import CaptureGate

/// How single pictures are taken.
///
/// *thread-safe*
public struct SnapshotSettings: Hashable, Sendable {
    /// What is wanted of the camera.
    public var video = VideoSettings()
    public var parameters = StillParameters()
    /// How long to wait, at most, until the picture has settled; zero takes the first one. Cameras begin too dark or too
    /// bright: the mean of five pictures in turn has to be the same within 2 %.
    public var patience = Duration.seconds(3)
    /// How many, 1 upwards.
    public var count = 1
    /// From one picture to the next; zero takes each that the camera delivers.
    public var interval = Duration.zero

    /// Written into PNG and JPEG, beside the camera's name and the time.
    public var title: String?

    public init() {}

    /// Between two pictures, and to wait for the first to settle, at the level `.still`. Pictures that came faster would be
    /// moving ones.
    public static let stillPace = Duration.seconds(1)

    /// The least level of the permit that these pictures need: `.still` for single ones that have time to settle, ``stillPace``
    /// at least, and are so far apart; `.video` for a burst, and for the first picture that comes.
    public var leastLevel: AccessLevel {
        patience >= Self.stillPace && (count <= 1 || interval >= Self.stillPace) ? .still : .video
    }
}
