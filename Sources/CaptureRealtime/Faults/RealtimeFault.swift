import CMedia

/// A call to the system that failed: the fence's only error, trivial so that it can be made there.
///
/// *realtime-safe*
public struct RealtimeFault: Error, BitwiseCopyable, Sendable, Hashable {
    public let call: RealtimeCall
    /// Positive, as in errno.h.
    public let errno: Int32

    /// - Parameter result: What a C shim returned: -errno.
    @_noLocks @_noAllocation
    public init(_ call: RealtimeCall, result: Int32) {
        self.call = call
        self.errno = 0 &- result
    }

    /// The device said that nothing more comes.
    public static var streamOver: RealtimeFault {
        @_noLocks @_noAllocation get { RealtimeFault(.dequeueEvent, result: 0 &- ENODATA) }
    }

    /// Whether the errno says that the device was unplugged: ENODEV, ENXIO or ESHUTDOWN.
    public var meansGone: Bool {
        @_noLocks @_noAllocation get { errno == ENODEV || errno == ENXIO || errno == ESHUTDOWN }
    }
}

/// - Returns: `result`, where it is no error.
func checked(_ call: RealtimeCall, _ result: Int32) throws(RealtimeFault) -> Int32 {
    guard result >= 0 else { throw RealtimeFault(call, result: result) }
    return result
}

/// - Returns: `result`, where it is no error.
func checked(_ call: RealtimeCall, _ result: Int64) throws(RealtimeFault) -> Int {
    guard result >= 0 else { throw RealtimeFault(call, result: Int32(truncatingIfNeeded: result)) }
    return Int(result)
}
