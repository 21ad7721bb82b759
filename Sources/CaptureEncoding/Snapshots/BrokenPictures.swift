import CaptureGate

/// Ends a series whose camera sends broken pictures alone.
struct BrokenPictures {
    /// How long it may, nanoseconds.
    private static let patience: Int64 = 3_000_000_000
    private var since: Int64?

    /// - Parameter time: of the picture, ns on the camera's clock.
    /// - Throws: `.inputOutput`.
    mutating func note(_ isBroken: Bool, at time: Int64, of device: String) throws(CaptureError) {
        guard isBroken else {
            since = nil
            return
        }
        let since = since ?? time
        self.since = since
        guard time - since >= Self.patience else { return }
        throw CaptureError(
            .inputOutput, "\(device) sends broken pictures alone.",
            remedies: [
                Remedy("Plug it in again, or ask for another format.", command: "capturegate devices --json")
            ])
    }
}
