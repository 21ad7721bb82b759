import CaptureGate

/// Ways in which the checks of the catalogue are made.
///
/// *thread-safe*
package enum CheckMakers {
    /// Makes one check. It throws where the device can't be measured; what the numbers mean is the limits' to say.
    package typealias Maker = @Sendable (CheckContext) async throws(CaptureError) -> CheckFindings

    /// By the name of the check.
    package static let all: [String: Maker] = [
        stream, picture, sound, start, mode, control, together, cable, machine,
    ].reduce(into: [:]) { all, some in all.merge(some) { first, _ in first } }
}
