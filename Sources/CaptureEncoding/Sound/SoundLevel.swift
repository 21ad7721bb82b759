/// How loud sound was for a while. 0 dBFS is full scale, -120 dBFS and less is silence.
///
/// *thread-safe*
public struct SoundLevel: Hashable, Sendable {
    /// The loudest sample, dBFS, -120…0.
    public let peakDBFS: Double
    /// The root of the mean square, dBFS, -120…0: a sine of full scale has -3.01.
    public let rmsDBFS: Double
    /// A sample stood at full scale: converters stand there when they can't go further.
    public let isClipped: Bool

    public init(peakDBFS: Double, rmsDBFS: Double, isClipped: Bool) {
        self.peakDBFS = peakDBFS
        self.rmsDBFS = rmsDBFS
        self.isClipped = isClipped
    }

    public static let silence = SoundLevel(peakDBFS: -120, rmsDBFS: -120, isClipped: false)
}
