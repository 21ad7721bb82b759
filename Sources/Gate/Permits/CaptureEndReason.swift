import CaptureBase

/// Why the gate ended a capture.
///
/// *thread-safe*
public enum CaptureEndReason: String, Hashable, Sendable {
    /// The grant was taken back, or the policy changed.
    case revoked
    /// The grant's date came.
    case expired
    /// All devices of the capability were switched off.
    case killed

    /// The error with which a session of this device ends.
    /// - Parameter capability: what it was used as, where that is known: the remedy is exact then.
    public func error(_ device: DeviceDescription, as capability: CapabilityName? = nil) -> CaptureError {
        let what = "\(device.name) (\(device.id))"
        return switch self {
        case .revoked:
            CaptureError(.revoked, "The permission to use \(what) was revoked.", remedies: remedies(capability))
        case .expired:
            CaptureError(.expired, "The permission to use \(what) has run out.", remedies: remedies(capability))
        case .killed:
            CaptureError(.revoked, "\(what) was switched off for this user.", remedies: remedies(capability))
        }
    }

    private func remedies(_ capability: CapabilityName?) -> [Remedy] {
        guard let capability else { return [Remedy("See what is allowed now.", command: "capturegate status")] }
        return switch self {
        case .killed: Restriction.killSwitch(capability).remedies
        case .revoked, .expired: [Remedy("Allow it again.", command: "capturegate grant \(capability) --always")]
        }
    }
}
