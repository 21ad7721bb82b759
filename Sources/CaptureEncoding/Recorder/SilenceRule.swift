/// When a recording ends by itself because it is quiet.
///
/// *thread-safe*
public struct SilenceRule: Hashable, Sendable {
    /// For how long the sound must have been under the level.
    public let duration: Duration
    /// dB of full scale, -120 to 0: the power of 20 ms of the loudest channel, as a full-scale square wave is 0.
    public let levelDBFS: Double

    /// - Parameters:
    ///   - duration: 20 ms and more, in steps of 20 ms.
    ///   - levelDBFS: -120 to 0; what lies under -50 is taken for silence by most people.
    public init(duration: Duration, levelDBFS: Double = -50) {
        self.duration = duration
        self.levelDBFS = levelDBFS
    }
}
