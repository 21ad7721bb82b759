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

/// Ends a series whose camera has no signal, or is covered, for as long as anybody waits for a settled picture.
struct BlindPictures {
    private let device: DeviceDescription
    /// Nanoseconds.
    private let patience: Int64
    private var since: Int64?

    init(_ device: DeviceDescription, patience: Int64) {
        self.device = device
        self.patience = patience
    }

    /// - Parameter time: of the picture, ns on the camera's clock.
    /// - Returns: whether it shows what is there.
    /// - Throws: `.unavailable`.
    mutating func shows(_ flags: FrameFlags, at time: Int64) throws(CaptureError) -> Bool {
        guard flags.contains(.noSignal) || flags.contains(.covered) else {
            since = nil
            return true
        }
        let since = since ?? time
        self.since = since
        guard time - since >= patience else { return false }
        throw (flags.contains(.covered) ? SignalState.covered : .noSignal).error(device)
    }
}
