/// Decides how fast sound is to be played into the clip, so that it stays where the clip's clock wants it.
///
/// As long as it is within 2 ms of its place, and what the jitter of the stamps leaves unsure, nothing is done and not a bit
/// is changed. From then on it is resampled to the end: at the measured rate, and a little faster or slower until it is in
/// its place. Nothing jumps: the rate changes by at most 500 ppm a second, and where the device itself is off by more than
/// crystals are, by as much as is left to its own rate: what was recorded at a wrong pitch comes right within some seconds.
struct SoundSteering {
    private(set) var isCorrecting = false
    /// Frames of the device for one of the clip.
    private(set) var step = 1.0

    /// Seconds.
    private static let deadBand = 0.002
    /// How long the rest of an error takes to fall to a third, seconds.
    private static let settling = 5.0
    /// Beside the device's own rate: four hundredths of a semitone, less than people hear.
    private static let mostCorrection = 2500e-6
    private static let mostChange = 500e-6
    /// A device that is further off has another rate than it says.
    static let mostDrift = 20_000e-6

    /// - Parameters:
    ///   - error: how much later in the clip the next frame ought to stand, seconds.
    ///   - noise: standard deviation of `error`, seconds.
    ///   - rateOffset: how much faster the device runs than the clip's clock.
    ///   - span: time since the last call, seconds.
    mutating func steer(error: Double, noise: Double, rateOffset: Double, span: Double) {
        if !isCorrecting { isCorrecting = abs(error) > Self.deadBand + 4 * noise }
        guard isCorrecting else { return }
        let own = bounded(rateOffset, Self.mostDrift)
        let wanted = own + bounded(-error / Self.settling, max(Self.mostCorrection, abs(own) / 2))
        let isWrong = abs(own) > Self.mostCorrection
        let change = (isWrong ? max(Self.mostChange, abs(own - (step - 1))) : Self.mostChange) * span
        step = 1 + min(max(wanted, step - 1 - change), step - 1 + change)
    }

    private func bounded(_ value: Double, _ most: Double) -> Double { min(max(value, -most), most) }
}
