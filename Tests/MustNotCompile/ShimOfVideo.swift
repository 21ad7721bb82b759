// error: cannot find 'cm_v4l2_open' in scope
// The C shims show what they have to this package's own targets alone.
import CMedia
import CaptureGate

public func open() -> Int32 {
    #if VIOLATION
        return cm_v4l2_open("/dev/video0")
    #else
        return -1
    #endif
}
