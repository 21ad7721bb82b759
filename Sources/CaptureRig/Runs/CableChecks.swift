import CaptureGate

extension CheckMakers {
    /// Checks of devices that come and go.
    static let cable: [String: Maker] = ["camera.present": present, "sound.present": present]

    /// It was found: one that is away is missed before this.
    private static func present(_ context: CheckContext) async throws(CaptureError) -> CheckFindings {
        CheckFindings([Measure("present", 1, "devices", .higher)])
    }
}
