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
}
