/// Whose clock the time of a clip follows.
///
/// No two crystals agree: a sound card that is 100 parts per million fast is a third of a second ahead of the picture
/// after an hour.
///
/// *thread-safe*
public enum SyncClock: String, Hashable, Sendable, Codable, CaseIterable {
    /// ``picture`` where there is a camera, ``sound`` where there are several microphones and no camera, else ``none``.
    case automatic = "auto"
    /// Pictures keep the times the camera gave them, and sound is resampled to stay with them, from when it would be more
    /// than 2 ms off; until then it is bit for bit the device's.
    case picture
    /// The first microphone's sound stays bit for bit the device's, and the times of pictures, and other microphones,
    /// follow it.
    case sound
    /// All keep to CLOCK_MONOTONIC, sound without a picture too.
    case system = "clock"
    /// Sound stays bit for bit the device's, and pictures keep their times: after a while they are apart.
    case none

    /// What it means for a clip of so many devices.
    func resolved(cameras: Int, microphones: Int) -> SyncClock {
        guard self == .automatic else { return self }
        if cameras > 0 { return .picture }
        return microphones > 1 ? .sound : .none
    }
}
