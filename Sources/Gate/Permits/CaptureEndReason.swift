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
    public func error(_ device: DeviceDescription) -> CaptureError {
        switch self {
        case .revoked: CaptureError(.revoked, "The permission to use \(device.name) (\(device.id)) was revoked.")
        case .expired: CaptureError(.expired, "The permission to use \(device.name) (\(device.id)) has run out.")
        case .killed: CaptureError(.revoked, "\(device.name) (\(device.id)) was switched off for this user.")
        }
    }
}
