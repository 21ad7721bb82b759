import Gate

/// A call to a device that failed, about a control or a format.
struct DeviceCallError: Error, Hashable {
    /// The function or request.
    let call: String
    /// Positive, as in errno.h.
    let errno: Int32

    /// - Returns: `result`, where it is no error.
    @discardableResult
    static func check(_ call: String, _ result: Int32) throws(DeviceCallError) -> Int32 {
        guard result >= 0 else { throw DeviceCallError(call: call, errno: 0 &- result) }
        return result
    }

    func error(_ device: Device) -> CaptureError { DeviceFault(device: device).error(call, errno) }
}
