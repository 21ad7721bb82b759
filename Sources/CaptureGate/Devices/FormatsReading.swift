import CaptureBase

/// What a device said that it can deliver, and which call failed where it did not say all.
struct FormatQueryResult {
    var formats: Device.Formats = .unknown
    var inputs: [VideoInput] = []
    var colorimetry: Colorimetry?
    private(set) var fault: DeviceCallError?

    /// Keeps the first of several: the others mostly follow from it.
    mutating func note(_ call: String, _ result: Int32) {
        if result < 0, fault == nil { fault = DeviceCallError(call: call, errno: 0 &- result) }
    }
}
