import CaptureBase

extension CaptureError {
    /// A camera whose privacy shutter is closed would deliver black pictures only (`V4L2_CID_PRIVACY`).
    ///
    /// - Parameter device: the camera that says so of itself.
    public static func privacyShutter(closedOn device: DeviceDescription) -> CaptureError {
        CaptureError(
            .unavailable, "The privacy shutter of \(device.name) (\(device.id)) is closed: it sees nothing.",
            remedies: [
                Remedy(
                    "Open it, then try again: a slide at the lens, or the key with the crossed-out camera.")
            ])
    }
}
