import Gate

/// A call to the system about a control that failed.
struct ControlFault: Error, Hashable {
    /// The function or request.
    let call: String
    /// Positive, as in errno.h.
    let errno: Int32

    /// - Returns: `result`, where it is no error.
    @discardableResult
    static func check(_ call: String, _ result: Int32) throws(ControlFault) -> Int32 {
        guard result >= 0 else { throw ControlFault(call: call, errno: 0 &- result) }
        return result
    }

    func error(_ device: Device) -> CaptureError { DeviceFault(device: device).error(call, errno) }
}
