// error: 'cm_v4l2_open' is unavailable in Swift: the C shims are CaptureGate's own
// The C shims are called from this package's own targets alone.
import CMedia
import CaptureGate

public func open() -> Int32 {
    #if VIOLATION
        return cm_v4l2_open("/dev/video0")
    #else
        return -1
    #endif
}
